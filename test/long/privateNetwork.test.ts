/** Three validators with private transactions, each with an enclave: groups of two and of three of them. */
import { afterEach, describe, expect, it } from 'vitest'
import { toBase64 } from '../../src/base/primitives/base64.ts'
import { adding, LOCK, PROXY } from '../support/private/flexibleGroup.ts'
import {
  createGroup,
  expectEqualRoots,
  expectNothingSeen,
  type Group,
  nextSeed,
  Sender,
  storedValue,
  word,
} from '../support/private/privateGroups.ts'
import {
  connect,
  eventually,
  type PrivateMember,
  startPrivateNetwork,
  type ThreeMembers,
} from '../support/private/privateNetwork.ts'
import { COUNTER_CODE } from '../support/private/privateNode.ts'
import { longCount } from './count.ts'

const KILLS = Math.min(longCount, 50)

let running: readonly PrivateMember[] = []

afterEach(async () => {
  for (const member of running) await member.end('kill').catch(() => {})
  running = []
})

/** Kills one member after another while every account of every group sends. */
async function killUnderLoad(members: ThreeMembers, groups: readonly Group[]): Promise<number> {
  let isOver = false
  let delivered = 0
  const load = groups.flatMap((group) =>
    group.senders.map(async (sender) => {
      for (; !isOver; delivered++) {
        await sender.deliver(group.id, { contract: group.contract, data: word(sender.nonce + 1) })
      }
    }),
  )
  void Promise.all(load).catch(() => {})
  for (let round = 0; round < KILLS; round++) {
    const victim = members[round % 3] as PrivateMember
    await new Promise((resolve) => setTimeout(resolve, 700 + ((round * 137) % 900)))
    await victim.end('kill')
    await victim.start()
    await connect(members)
  }
  isOver = true
  await Promise.all(load)
  return delivered
}

describe.each(['stub', 'embedded'] as const)('three members with the enclave %j', (enclaves) => {
  it('have private groups of two and of three, over restarts and kills', { timeout: 1_800_000 }, async () => {
    const members = await startPrivateNetwork([], undefined, enclaves)
    running = members
    const [first, second, third] = members
    const groups = [
      await createGroup([first, second]),
      await createGroup([second, third]),
      await createGroup([first, second, third]),
    ] as const
    await expectNothingSeen(third, groups[0])
    await expectNothingSeen(first, groups[1])

    for (const member of members) {
      await member.end('stop')
      await member.start()
      await connect(members)
    }
    const delivered = await killUnderLoad(members, groups)
    expect(delivered).toBeGreaterThan(KILLS)
    const height = Math.max(...(await Promise.all(members.map((member) => member.height()))))
    for (const member of members) await eventually(async () => expect(await member.height()).toBeGreaterThan(height))
    for (const group of groups) {
      const own = group.senders.map(({ member }) => member)
      await expectEqualRoots(own, group.id)
      expect(new Set(await Promise.all(own.map((member) => storedValue(member, group)))).size).toBe(1)
      for (const { address, nonce } of group.senders) {
        for (const member of own) {
          expect(Number(await member.rpc('priv_getTransactionCount', address, group.id))).toBe(nonce)
        }
      }
    }
    for (const member of members) expect(member.printed).not.toMatch(/\bERROR\b/)
  })

  it('have the same history after a member was added to a flexible group', { timeout: 600_000 }, async () => {
    const members = await startPrivateNetwork(['--privacy-flexible-groups-enabled'], undefined, enclaves)
    running = members
    const [first, second, third] = members
    const id = toBase64(new Uint8Array(32).fill(0x77))
    const sender = new Sender(first, id, nextSeed())
    expect((await sender.send({ contract: PROXY, data: adding(first.key, second.key) })).status).toBe('0x1')
    const { contractAddress: contract } = await sender.send({ data: COUNTER_CODE })
    await sender.send({ contract, data: word(7) })
    await sender.send({ contract: PROXY, data: LOCK })
    expect((await sender.send({ contract: PROXY, data: adding(third.key) })).status).toBe('0x1')
    const last = await sender.send({ contract, data: word(8) })
    for (const how of ['kill', 'stop'] as const) {
      await third.end(how)
      await third.start()
      await connect(members)
    }
    for (const member of members) {
      await eventually(async () => expect(await member.height()).toBeGreaterThanOrEqual(Number(last.blockNumber)))
      expect(await storedValue(member, { id, contract })).toBe(word(8))
    }
    await expectEqualRoots(members, id)
    for (const member of members) expect(member.printed).not.toMatch(/\bERROR\b/)
  })
})

it('a member that has lost all its data but the keys gets its private state back', { timeout: 600_000 }, async () => {
  const members = await startPrivateNetwork([], undefined, 'embedded')
  running = members
  const [first, second, third] = members
  const groups = [await createGroup([third, first]), await createGroup([first, second, third])]
  for (const { id, contract, senders } of groups) {
    for (const sender of senders) await sender.deliver(id, { contract, data: word(sender.nonce + 1) })
  }
  const height = await first.height()
  await third.end('stop')
  // An enclave resends once a minute at most, and has resent at the start; a new process does not know.
  for (const member of [first, second]) {
    await member.end('stop')
    await member.start()
  }
  await third.loseData()
  await third.start()
  await connect(members)
  await eventually(async () => expect(await third.height()).toBeGreaterThan(height))
  for (const { id, contract, senders } of groups) {
    const own = senders.map(({ member }) => member)
    await expectEqualRoots(own, id)
    for (const sender of senders) await sender.deliver(id, { contract, data: word(sender.nonce + 1) })
    await expectEqualRoots(own, id)
  }
  expect(third.printed).not.toMatch(/\bERROR\b|has lost/)
})
