/** Three miners with private transactions, of which one is cut off: its branch, or that of the others, is replaced. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createGroup,
  expectEqualRoots,
  expectHidden,
  expectNothingSeen,
  type Group,
  type Hidden,
  nextSecret,
  nextSeed,
  Sender,
  storedValue,
  word,
} from '../support/private/privateGroups.ts'
import {
  connect,
  eventually,
  type PrivateMember,
  powGenesis,
  startPrivateNetwork,
  type ThreeMembers,
} from '../support/private/privateNetwork.ts'

const OPTIONS = ['--ethash-test-mode', `--miner-coinbase=0x${'11'.repeat(20)}`]
/** Blocks by which the kept branch is longer. */
const LEAD = 4

/** A private transaction that was sent on one side of the cut. */
interface Sent extends Hidden {
  readonly group: Group
}

interface MinedBlock {
  readonly hash: string
  readonly transactions: readonly string[]
}

let members: ThreeMembers
/** All whose branch is not known to be replaced by now. */
let sent: Sent[]

beforeEach(async () => {
  members = await startPrivateNetwork(OPTIONS, powGenesis())
  sent = []
}, 120_000)

afterEach(async () => {
  for (const member of members ?? []) await member.end('kill').catch(() => {})
})

const blockAt = (member: PrivateMember, number: number) =>
  member.rpc<MinedBlock | null>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)

const membersOf = ({ senders }: Group) => senders.map(({ member }) => member)

async function mineTo(member: PrivateMember, number: number): Promise<void> {
  await member.rpc('miner_start')
  await eventually(async () => expect(await member.height()).toBeGreaterThanOrEqual(number))
  await member.rpc('miner_stop')
}

/** Runs `work` while the member mines. */
async function mining<T>(member: PrivateMember, work: () => Promise<T>): Promise<T> {
  await member.rpc('miner_start')
  const result = await work()
  await member.rpc('miner_stop')
  return result
}

async function expectOneHead(nodes: readonly PrivateMember[]): Promise<number> {
  return eventually(async () => {
    const heads = await Promise.all(
      nodes.map((member) => member.rpc<MinedBlock & { number: string }>('eth_getBlockByNumber', 'latest', false)),
    )
    expect(new Set(heads.map(({ hash }) => hash)).size).toBe(1)
    return Number(heads[0]?.number)
  })
}

/** The newest block that both have. */
async function lastCommonBlock(one: PrivateMember, other: PrivateMember): Promise<number> {
  for (let number = Math.min(await one.height(), await other.height()); ; number--) {
    const [own, theirs] = await Promise.all([blockAt(one, number), blockAt(other, number)])
    if (own?.hash === theirs?.hash) return number
  }
}

async function cut(loner: PrivateMember, others: readonly PrivateMember[]): Promise<void> {
  const own = await loner.rpc<string>('net_enode')
  for (const other of others) {
    await loner.rpc('admin_removePeer', await other.rpc('net_enode'))
    await other.rpc('admin_removePeer', own)
  }
  await eventually(async () => expect(Number(await loner.rpc('net_peerCount'))).toBe(0))
}

/** Sends a secret, which is mined on the side of the sender. */
async function sendSecret(group: Group, sender: Sender): Promise<Sent> {
  const secret = nextSecret()
  const { marker, status } = await sender.send({ contract: group.contract, data: word(secret) })
  expect(status).toBe('0x1')
  return { group, sender, secret, marker }
}

/** The accounts of these members send to every group of theirs, twice. */
async function sendFrom(side: readonly PrivateMember[], groups: readonly Group[]): Promise<Sent[]> {
  const all = groups.flatMap((group) =>
    group.senders
      .filter(({ member }) => side.includes(member))
      .map(async (sender) => [await sendSecret(group, sender), await sendSecret(group, sender)]),
  )
  return (await Promise.all(all)).flat()
}

/** Every marker is in one block of the chain, and the members have the same receipt of it. */
async function expectMinedOnce(head: number): Promise<void> {
  const [first] = members
  const blocks = await Promise.all(Array.from({ length: head + 1 }, (_, number) => blockAt(first, number)))
  const mined = blocks.flatMap((block) => block?.transactions ?? [])
  for (const { marker, group } of sent) {
    expect(mined.filter((hash) => hash === marker)).toEqual([marker])
    const receipts = await Promise.all(
      membersOf(group).map((member) => member.rpc('priv_getTransactionReceipt', marker)),
    )
    for (const receipt of receipts) expect(receipt).toEqual(receipts[0])
    expect(receipts[0]).toMatchObject({ commitmentHash: marker })
  }
}

/** The values that a group has logged, in their order. */
async function loggedValues(member: PrivateMember, { id }: Group): Promise<string[]> {
  const logs = await member.rpc<{ data: string }[]>('priv_getLogs', id, { fromBlock: '0x0', toBlock: 'latest' })
  return logs.map(({ data }) => data)
}

async function expectEqualStates(groups: readonly Group[]): Promise<void> {
  for (const group of groups) {
    const own = membersOf(group)
    await expectEqualRoots(own, group.id)
    const [value] = new Set(await Promise.all(own.map((member) => storedValue(member, group))))
    for (const member of own) {
      const logged = await loggedValues(member, group)
      expect(logged.at(-1)).toBe(value)
      const secrets = sent.filter((one) => one.group === group).map(({ secret }) => word(secret))
      expect([...logged].sort()).toEqual(secrets.sort())
      for (const { address, nonce } of group.senders) {
        expect(Number(await member.rpc('priv_getTransactionCount', address, group.id))).toBe(nonce)
      }
    }
  }
}

describe('a reorganisation by proof of work', () => {
  it.each([
    ['the member that was cut off', true],
    ['the members of the other side', false],
  ])('keeps every private transaction of %s', { timeout: 600_000 }, async (_, isLonerReplaced) => {
    const [loner, second, third] = members
    const rest = [second, third]
    const [replaced, kept] = isLonerReplaced ? [loner, second] : [second, loner]
    const groups = await mining(loner, async () => {
      const pair = await createGroup([loner, second])
      const rests = await createGroup([second, third])
      return [pair, rests, await createGroup([loner, second, third])] as const
    })
    const [pair, rests] = groups
    await expectOneHead(members)

    await cut(loner, rest)
    // One account that sends through both sides, with the same nonce: one of its transactions counts.
    const seed = nextSeed()
    const rivals = [new Sender(loner, [second.key], seed), new Sender(second, [loner.key], seed)] as const
    const sides = await Promise.all([
      mining(loner, () => Promise.all([sendFrom([loner], groups), sendSecret(pair, rivals[0])])),
      mining(second, () => Promise.all([sendFrom(rest, groups), sendSecret(pair, rivals[1])])),
    ])
    const [lone, others] = sides.map(([many, rival]) => ({ many, rival })) as [
      { many: Sent[]; rival: Sent },
      { many: Sent[]; rival: Sent },
    ]
    await mineTo(kept, (await replaced.height()) + LEAD)
    await expectOneHead(rest)
    // A block that was sealed before the miner stopped may have reached all members before the cut.
    const fork = await lastCommonBlock(replaced, kept)
    const keptBlock = await blockAt(kept, fork + 1)
    expect(keptBlock).not.toBeNull()
    expect(await replaced.height()).toBeGreaterThan(fork)

    await connect(members)
    await expectOneHead(members)
    expect((await blockAt(replaced, fork + 1))?.hash).toBe(keptBlock?.hash)
    const [gone, stayed] = isLonerReplaced ? [lone, others] : [others, lone]
    // Nothing of the replaced branch is left but its markers, which wait in the pool.
    sent = [...stayed.many, stayed.rival]
    for (const { marker } of [...gone.many, gone.rival]) {
      expect(await replaced.rpc('priv_getTransactionReceipt', marker)).toBeNull()
      await eventually(async () => {
        expect(await replaced.rpc('eth_getTransactionByHash', marker)).toMatchObject({ blockHash: null })
      })
    }
    for (const group of groups) await expectEqualRoots(membersOf(group), group.id)

    await mining(replaced, () =>
      eventually(async () => {
        for (const { sender, marker } of [...gone.many, gone.rival]) {
          expect(await sender.member.rpc('priv_getTransactionReceipt', marker)).not.toBeNull()
        }
      }),
    )
    sent.push(...gone.many)
    const head = await expectOneHead(members)
    await expectMinedOnce(head)
    await expectEqualStates(groups)
    for (const member of membersOf(pair)) {
      expect(await member.rpc('priv_getTransactionReceipt', gone.rival.marker)).toMatchObject({ status: '0x2' })
      expect(await member.rpc('priv_getTransactionCount', rivals[0].address, pair.id)).toBe('0x1')
    }

    for (const one of sent) {
      if (one.group === pair) await expectHidden(third, pair, one)
      if (one.group === rests) await expectHidden(loner, rests, one)
    }
    await mining(second, async () => {
      await expectNothingSeen(third, pair)
      await expectNothingSeen(loner, rests)
    })
    for (const member of members) {
      expect(member.printed).not.toMatch(/\bERROR\b/)
      expect((await member.rpc<unknown[]>('debug_getBadBlocks')).length).toBe(0)
    }
  })
})
