/** Groups of the members of a private network: their senders, and questions about their secrets. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { eventually, NETWORK_CHAIN_ID, type PrivateMember } from './privateNetwork.ts'
import { COUNTER_CODE, signPrivate } from './privateNode.ts'

export const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`
let secrets = 0x5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e7n

export interface Receipt {
  readonly status: string
  readonly contractAddress: string
  readonly privacyGroupId: string
  readonly blockNumber: string
}

/** A member and an account that sends private transactions to one group through it. */
export class Sender {
  readonly member: PrivateMember
  readonly #to: readonly string[] | string
  readonly #key: Uint8Array
  readonly address: string
  nonce = 0

  constructor(member: PrivateMember, to: readonly string[] | string, seed: number) {
    this.member = member
    this.#to = to
    this.#key = new Uint8Array(32).fill(seed)
    this.address = bytesToHex(new KeySigner(this.#key).address)
  }

  sign(fields: { readonly contract?: string; readonly data: string }): string {
    return signPrivate({
      privateFrom: this.member.key,
      to: this.#to,
      nonce: this.nonce,
      chainId: NETWORK_CHAIN_ID,
      key: bytesToHex(this.#key),
      ...fields,
    })
  }

  /** Sends a transaction and waits for its receipt. */
  async send(fields: { readonly contract?: string; readonly data: string }): Promise<Receipt & { marker: string }> {
    const marker = await this.member.rpc<string>('eea_sendRawTransaction', this.sign(fields))
    const receipt = await eventually(async () => {
      const found = await this.member.rpc<Receipt | null>('priv_getTransactionReceipt', marker)
      if (found === null) throw new Error('not mined')
      return found
    })
    if (receipt.status === '0x1') this.nonce++
    return { ...receipt, marker }
  }

  /** Sends until the group has counted the transaction, over failures of the node. */
  async deliver(group: string, fields: { readonly contract: string; readonly data: string }): Promise<void> {
    let failure: unknown
    for (const end = Date.now() + 120_000; Date.now() < end; ) {
      try {
        if (await this.#isCounted(group)) return
        await this.member.rpc('eea_sendRawTransaction', this.sign(fields))
        for (let i = 0; i < 40; i++) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          if (await this.#isCounted(group)) return
        }
      } catch (error) {
        failure = error
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    throw new Error(`transaction ${this.nonce} of ${this.address} is lost`, { cause: failure })
  }

  async #isCounted(group: string): Promise<boolean> {
    const count = Number(await this.member.rpc('priv_getTransactionCount', this.address, group))
    if (count <= this.nonce) return false
    this.nonce++
    return true
  }
}

export interface Group {
  readonly id: string
  readonly contract: string
  readonly deployment: string
  readonly senders: readonly Sender[]
}

let seeds = 0x40

/** A byte that no other account has. */
export const nextSeed = (): number => seeds++

/** A group with a contract; each member has an account that sends to it. */
export async function createGroup(members: readonly PrivateMember[]): Promise<Group> {
  const senders = members.map((member) => {
    const others = members.filter((other) => other !== member).map(({ key }) => key)
    return new Sender(member, others, nextSeed())
  })
  const { contractAddress, privacyGroupId, marker, status } = await (senders[0] as Sender).send({ data: COUNTER_CODE })
  expect(status).toBe('0x1')
  return { id: privacyGroupId, contract: contractAddress, deployment: marker, senders }
}

export const storedValue = (
  member: PrivateMember,
  { id, contract }: Pick<Group, 'id' | 'contract'>,
): Promise<unknown> => member.rpc('priv_call', id, { to: contract, data: '0x' }, 'latest')

/** The members have the same state at each of the latest blocks. */
export async function expectEqualRoots(members: readonly PrivateMember[], group: string): Promise<void> {
  const height = Math.min(...(await Promise.all(members.map((member) => member.height()))))
  for (let number = Math.max(0, height - 20); number <= height; number++) {
    const root = (member: PrivateMember) => member.rpc('priv_debugGetStateRoot', group, `0x${number.toString(16)}`)
    const roots = await Promise.all(members.map(root))
    expect(new Set(roots).size, `roots at block ${number}: ${roots}`).toBe(1)
  }
}

function holds(directory: string, bytes: Buffer): boolean {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(path.join(entry.parentPath, entry.name)).includes(bytes))
}

async function graphql(member: PrivateMember, query: string): Promise<string> {
  const [url] = /http:\/\/[\d.]+:\d+\/graphql/.exec(member.printed) ?? []
  if (url === undefined) throw new Error(`no GraphQL endpoint: ${member.printed}`)
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ query }) })
  return response.text()
}

const BLOCK_FIELDS =
  'logs(filter:{}){data topics account{address code}} transactions{hash inputData to{address code} from{address} logs{data} createdContract{address}}'

/** Everything that a stranger can ask about a marker of another group. */
async function answersAbout(
  stranger: PrivateMember,
  { id, contract, deployment, senders }: Group,
  marker: string,
  blockNumber: string,
): Promise<string[]> {
  const block = await stranger.rpc<{ hash: string }>('eth_getBlockByNumber', blockNumber, true)
  const logs = await stranger.rpc('eth_newFilter', { fromBlock: '0x0' })
  const own = await stranger.rpc('priv_newFilter', id, { fromBlock: '0x0' })
  const [first] = senders as [Sender]
  const requests: readonly (readonly unknown[])[] = [
    ...[marker, deployment].flatMap((hash) => [
      ['eth_getTransactionByHash', hash],
      ['eth_getTransactionReceipt', hash],
      ['eth_getRawTransactionByHash', hash],
      ['priv_getTransactionReceipt', hash],
      ['priv_getPrivateTransaction', hash],
      ['debug_traceTransaction', hash],
      ['debug_traceTransaction', hash, { tracer: 'callTracer' }],
      ['debug_traceTransaction', hash, { tracer: 'prestateTracer' }],
      ['trace_transaction', hash],
      ['trace_replayTransaction', hash, ['trace', 'vmTrace', 'stateDiff']],
      ['debug_getRawTransaction', hash],
    ]),
    ['eth_getBlockReceipts', blockNumber],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
    ['eth_getLogs', { fromBlock: '0x0', address: contract }],
    ['eth_getFilterLogs', logs],
    ['eth_getFilterChanges', logs],
    ['eth_getFilterLogs', own],
    ['eth_getCode', contract, 'latest'],
    ['eth_getStorageAt', contract, '0x0', 'latest'],
    ['eth_getProof', contract, ['0x0'], 'latest'],
    ['eth_call', { to: contract, data: '0x' }, 'latest'],
    ['debug_traceBlockByNumber', blockNumber],
    ['debug_traceBlockByHash', block.hash],
    ['debug_accountRange', blockNumber, 0, word(0), 100],
    ['debug_getRawBlock', blockNumber],
    ['debug_getRawReceipts', blockNumber],
    ['trace_block', blockNumber],
    ['trace_replayBlockTransactions', blockNumber, ['trace', 'vmTrace', 'stateDiff']],
    ['trace_filter', { fromBlock: '0x0', toBlock: 'latest' }],
    ['txpool_besuTransactions'],
    ['priv_getLogs', id, { fromBlock: '0x0', toBlock: 'latest' }],
    ['priv_getFilterLogs', id, own],
    ['priv_getFilterChanges', id, own],
    ['priv_getFilterLogs', id, logs],
    ['priv_getCode', id, contract, 'latest'],
    ['priv_call', id, { to: contract, data: '0x' }, 'latest'],
    ['priv_debugGetStateRoot', id, 'latest'],
    ['priv_getTransactionCount', first.address, id],
    ['priv_findPrivacyGroup', senders.map(({ member }) => member.key)],
  ]
  const answers = [JSON.stringify(block)]
  for (const [method, ...params] of requests) {
    const answer = await stranger.rpc(method as string, ...params).catch((error: unknown) => String(error))
    answers.push(`${method} ${JSON.stringify(answer)}`)
  }
  answers.push(await graphql(stranger, `{block(number:${Number(blockNumber)}){${BLOCK_FIELDS}}}`))
  answers.push(await graphql(stranger, `{transaction(hash:"${marker}"){inputData logs{data} from{address}}}`))
  answers.push(await graphql(stranger, `{block{account(address:"${contract}"){code storage(slot:"${word(0)}")}}}`))
  return answers
}

/** A value that is found nowhere by accident. */
export const nextSecret = (): bigint => secrets++

/** A stored secret and where it is. */
export interface Hidden {
  readonly secret: bigint
  readonly marker: string
  readonly sender: Sender
}

export async function expectNothingSeen(stranger: PrivateMember, group: Group): Promise<void> {
  const [sender] = group.senders as [Sender]
  const secret = nextSecret()
  const { marker, status } = await sender.send({ contract: group.contract, data: word(secret) })
  expect(status).toBe('0x1')
  await expectHidden(stranger, group, { secret, marker, sender })
}

/** Nothing that a stranger can ask shows a secret of a group, though a member sees it by the same questions. */
export async function expectHidden(
  stranger: PrivateMember,
  group: Group,
  { secret, marker, sender }: Hidden,
): Promise<void> {
  const { blockNumber } = await sender.member.rpc<Receipt>('priv_getTransactionReceipt', marker)
  await eventually(async () => expect(await stranger.height()).toBeGreaterThanOrEqual(Number(blockNumber)))
  const asked = [group.contract, marker, group.deployment]
  const hidden = [secret.toString(16), sender.address.slice(2), COUNTER_CODE.slice(30, 80), group.contract.slice(2)]
  // A member sees it, so the questions are good.
  const seen = await answersAbout(sender.member, group, marker, blockNumber)
  for (const text of hidden) expect(seen.filter((answer) => answer.includes(text)).length).toBeGreaterThan(0)
  for (const answer of await answersAbout(stranger, group, marker, blockNumber)) {
    // An answer may repeat the question.
    const shown = asked.reduce((text, known) => text.replaceAll(known, ''), answer)
    for (const text of hidden) expect(shown, answer.slice(0, 300)).not.toContain(text)
  }
  const bytes = Buffer.from(secret.toString(16), 'hex')
  expect([sender.member, stranger].map(({ directory }) => holds(directory, bytes))).toEqual([true, false])
  expect(stranger.printed).not.toContain(secret.toString(16))
}
