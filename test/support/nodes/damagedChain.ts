/**
 * A dev chain in a data directory, copies of it with one damage each, and the answers of a node to many reads. A read of a damaged
 * copy may fail, but must not have another answer than the original.
 * @module
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { openDataDirectory } from '../../../adapters/server/data/dataDirectory.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { COLUMNS } from '../../../src/storage/schema.ts'
import { Random } from '../host/random.ts'
import { type OpenedNode, openDevNode } from './devNodeInMemory.ts'

type RawEntry = readonly [key: Buffer, value: Buffer]

/** Method and parameters. */
type Read = readonly [method: string, ...params: unknown[]]

const DATA = 'database/data.mdb'
/** Logs its input with the topic 7, stores its second word in the slot of the first one, and returns the slot. */
const CONTRACT = '0x3660005f3760075f366000a16020355f35555f355460005260206000f3'
const word = (value: number): string => value.toString(16).padStart(64, '0')
const address = (value: number): string => `0x${value.toString(16).padStart(40, '0')}`

export class DamagedChain {
  readonly #root = mkdtempSync(path.join(tmpdir(), 'isonode-damage-'))
  readonly #original = path.join(this.#root, 'original')
  #entries: RawEntry[] = []
  #content: Buffer = Buffer.alloc(0)
  #reads: readonly Read[] = []
  #answers: readonly string[] = []
  #write: readonly string[] = []

  /** Builds the chain and notes the answers. */
  async build(): Promise<void> {
    this.#reads = await inDirectory(this.#original, async (node) => readsOf(node, await fill(node)))
    this.#content = readFileSync(path.join(this.#original, DATA))
    const database = openRaw(path.join(this.#original, 'database'))
    this.#entries = Array.from(
      database.getRange({}),
      ({ key, value }) => [Buffer.from(key), Buffer.from(value)] as const,
    )
    await database.close()
    const copy = this.#copy(this.#content)
    this.#answers = await inDirectory(copy, (node) => answers(node, this.#reads))
    this.#write = await inDirectory(copy, write)
    rmSync(copy, { recursive: true })
    const failed = this.#reads.filter((_, i) => isFailure(this.#answers[i] as string))
    if (failed.length > 0) throw new Error(`the intact chain does not answer ${JSON.stringify(failed)}`)
  }

  get readCount(): number {
    return this.#reads.length
  }

  /**
   * @param seed consecutive ones take turns among DAMAGE_KINDS kinds of damage
   * @returns a description of each wrong answer, and whether the damage was reported anywhere
   */
  async tryDamage(seed: number): Promise<{ readonly wrong: string[]; readonly isNoticed: boolean }> {
    const random = new Random(seed + 1)
    const damage = DAMAGES[seed % DAMAGES.length] as Damage
    const content = Buffer.from(this.#content)
    const copy = this.#copy(content)
    const what = await damage(random, { entries: this.#entries, content, directory: copy })
    try {
      const found = await inDirectory(
        copy,
        async (node) => [await answers(node, this.#reads), await write(node)] as const,
      )
      const pairs = [...found[0], ...found[1]].map(
        (answer, i) => [[...this.#answers, ...this.#write][i], answer] as const,
      )
      const wrong = pairs.flatMap(([expected, answer], i) => {
        if (answer === expected || isFailure(answer)) return []
        return [`seed ${seed}, ${what}: ${JSON.stringify(this.#reads[i] ?? 'write')} is ${answer}, not ${expected}`]
      })
      return { wrong, isNoticed: pairs.some(([, answer]) => isFailure(answer)) }
    } catch (error) {
      if (!isNodeError(error)) throw error
      return { wrong: [], isNoticed: true }
    } finally {
      rmSync(copy, { recursive: true })
    }
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  #copy(content: Buffer): string {
    const directory = mkdtempSync(path.join(this.#root, 'copy-'))
    mkdirSync(path.join(directory, 'database'))
    writeFileSync(path.join(directory, DATA), content)
    return directory
  }
}

async function inDirectory<T>(directory: string, run: (node: OpenedNode) => Promise<T>): Promise<T> {
  const data = openDataDirectory(directory, 'process')
  try {
    const node = await openDevNode({}, data.store)
    try {
      return await run(node)
    } finally {
      await node.node.close()
    }
  } finally {
    await data.close()
  }
}

/** @returns hashes of transactions */
async function fill({ rpc, clock }: OpenedNode): Promise<string[]> {
  const [from] = await rpc<string[]>('eth_accounts')
  const hashes: string[] = []
  const send = async (transaction: object): Promise<string> => {
    clock.seconds += 2
    const hash = await rpc<string>('eth_sendTransaction', { from, gas: '0x80000', ...transaction })
    hashes.push(hash)
    return hash
  }
  const init = `0x601d600a5f39601d5ff3${CONTRACT.slice(2)}`
  for (let i = 0; i < 2; i++) await send({ data: init.slice(0, 22) + init.slice(22) })
  const contracts: string[] = []
  for (const hash of hashes) {
    contracts.push((await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress)
  }
  for (let i = 0; i < 12; i++) {
    await send({ to: contracts[i & 1], data: `0x${word(i % 7)}${word(i + 1)}` })
    await send({ to: address(0xb000 + i), value: '0x5' })
  }
  const snapshot = await rpc('evm_snapshot')
  await rpc('eth_sendTransaction', { from, to: address(0xdead), value: '0x1' })
  await rpc('evm_revert', snapshot)
  await rpc('anvil_setBalance', address(0xfee), '0x1234567')
  await rpc('anvil_setStorageAt', contracts[0], `0x${word(9)}`, `0x${word(99)}`)
  await send({ to: contracts[1], data: `0x${word(3)}${word(0)}` })
  await rpc('hardhat_mine', '0x28')
  await send({ to: address(0xb001), value: '0x7' })
  return hashes
}

async function readsOf({ rpc }: OpenedNode, hashes: readonly string[]): Promise<Read[]> {
  const head = Number(await rpc<string>('eth_blockNumber'))
  const reads: Read[] = [
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
    ['eth_getBlockByNumber', 'safe', false],
  ]
  for (let i = 0; i <= head; i++) {
    const number = `0x${i.toString(16)}`
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', number, false)
    reads.push(
      ['eth_getBlockByNumber', number, true],
      ['eth_getBlockByHash', hash, false],
      ['eth_getBlockReceipts', number],
    )
    if (i < 30) reads.push(['eth_getBalance', address(0xb001), number])
  }
  const contracts: string[] = []
  for (const hash of hashes) {
    const receipt = await rpc<{ contractAddress: string | null }>('eth_getTransactionReceipt', hash)
    if (receipt.contractAddress !== null) contracts.push(receipt.contractAddress)
    reads.push(['eth_getTransactionReceipt', hash], ['eth_getTransactionByHash', hash])
  }
  reads.push(['debug_traceTransaction', hashes[4]], ['eth_getTransactionReceipt', `0x${word(5)}`])
  const [from] = await rpc<string[]>('eth_accounts')
  const accounts = [
    from,
    ...contracts,
    address(0xfee),
    address(0xdead),
    ...Array.from({ length: 12 }, (_, i) => address(0xb000 + i)),
  ]
  for (const account of accounts) {
    reads.push(
      ['eth_getBalance', account, 'latest'],
      ['eth_getTransactionCount', account, 'latest'],
      ['eth_getCode', account, 'latest'],
    )
  }
  for (const to of contracts) {
    for (let slot = 0; slot < 11; slot++) reads.push(['eth_getStorageAt', to, `0x${word(slot)}`, 'latest'])
    reads.push(['eth_call', { to, data: `0x${word(4)}` }, 'latest'], ['eth_getProof', to, [`0x${word(1)}`], 'latest'])
    reads.push(['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: to, topics: [`0x${word(7)}`] }])
  }
  return reads
}

async function answers({ rpc }: OpenedNode, reads: readonly Read[]): Promise<string[]> {
  const found: string[] = []
  for (const [method, ...params] of reads) found.push(await answer(rpc(method, ...params)))
  return found
}

/** New blocks on top of the chain: the states after them. */
async function write({ rpc, clock }: OpenedNode): Promise<string[]> {
  const states: string[] = []
  clock.seconds += 1000
  const [from, other] = await rpc<string[]>('eth_accounts').catch(() => [])
  for (const transaction of [
    { to: other, value: '0x9' },
    { to: address(0xb003), value: '0x1' },
  ]) {
    const block = rpc('eth_sendTransaction', { from, gas: '0x80000', ...transaction }).then(() =>
      rpc<{ stateRoot: string }>('eth_getBlockByNumber', 'latest', false),
    )
    states.push(await answer(block.then(({ stateRoot }) => stateRoot)))
    if (isFailure(states.at(-1) as string)) return states
  }
  return states
}

function answer(result: Promise<unknown>): Promise<string> {
  return result.then(
    (value) => JSON.stringify(value),
    (error: Error) => `error: ${error.message}`,
  )
}

function isFailure(text: string): boolean {
  return text.startsWith('error: ')
}

function openRaw(directory: string): RootDatabase<Uint8Array, Uint8Array> {
  return open({ path: directory, noSubdir: false, encoding: 'binary', keyEncoding: 'binary', maxDbs: 1 })
}

interface Target {
  readonly entries: readonly RawEntry[]
  readonly content: Buffer
  readonly directory: string
}

/** @returns its description */
type Damage = (random: Random, target: Target) => Promise<string> | string

/** In the file, as a failing disk does it. Those that break the structure of a page are left to LMDB. */
function inFile(what: string, part: 'key' | 'value', edit: (bytes: Buffer, random: Random) => void): Damage {
  return (random, { entries, content, directory }) => {
    const [key, value] = pickEntry(random, entries)
    const places = part === 'key' ? placesOf(content, key) : placesOf(content, Buffer.concat([key, value]))
    // A long value is on pages of its own.
    const starts = part === 'value' && places.length === 0 ? placesOf(content, value) : places
    if (starts.length === 0) throw new Error(`the file has no entry ${key.toString('hex')}`)
    for (const start of part === 'key' ? [random.pick(starts)] : starts) {
      const at = part === 'value' && places.length > 0 ? start + key.length : start
      edit(content.subarray(at, at + (part === 'key' ? key : value).length), new Random(key.length + value.length))
    }
    writeFileSync(path.join(directory, DATA), content)
    return `${what} of ${nameOf(key)}`
  }
}

function placesOf(content: Buffer, bytes: Buffer): number[] {
  const places: number[] = []
  for (let at = content.indexOf(bytes); at >= 0; at = content.indexOf(bytes, at + 1)) places.push(at)
  return places
}

/** Each column is as likely as any other: half of all entries are trie nodes. */
function pickEntry(random: Random, entries: readonly RawEntry[]): RawEntry {
  const column = random.pick([...new Set(entries.map(([key]) => key[0]))])
  return random.pick(entries.filter(([key]) => key[0] === column))
}

function flipBit(bytes: Buffer, random: Random): void {
  const bit = random.below(8 * bytes.length)
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
}

function zero(bytes: Buffer, random: Random): void {
  const at = random.below(bytes.length)
  bytes.fill(0, at, Math.min(bytes.length, at + 1 + random.below(64)))
}

/** Through LMDB. */
function inDatabase(
  what: string,
  edit: (database: RootDatabase<Uint8Array, Uint8Array>, random: Random, entries: readonly RawEntry[]) => Buffer,
): Damage {
  return async (random, { entries, directory }) => {
    const database = openRaw(path.join(directory, 'database'))
    let key: Buffer = Buffer.alloc(0)
    database.transactionSync(() => {
      key = edit(database, random, entries)
    })
    await database.close()
    return `${what} of ${nameOf(key)}`
  }
}

/** The columns whose lost entries are noticed. Indexes by hash are not among them: nothing else names what they lack. */
const LOSS_IS_NOTICED: ReadonlySet<number> = new Set(
  (
    [
      'header',
      'body',
      'receipts',
      'senders',
      'blockRecord',
      'canonicalHash',
      'trieNode',
      'code',
      'flatAccount',
      'flatIncarnation',
      'stateDiff',
    ] as const
  ).map((name) => COLUMNS[name].byte),
)

const DAMAGES: readonly Damage[] = [
  inFile('a bit in the value', 'value', flipBit),
  inFile('a bit in the value', 'value', flipBit),
  inFile('zeros in the value', 'value', zero),
  inFile('a bit in the key', 'key', flipBit),
  inDatabase('the cut value', (database, random, entries) => {
    const [key, value] = pickEntry(random, entries)
    database.put(key, value.subarray(0, random.below(value.length)))
    return key
  }),
  inDatabase('the exchanged value', (database, random, entries) => {
    const [key, value] = pickEntry(random, entries)
    const [other, otherValue] = random.pick(entries.filter(([found]) => found[0] === key[0]))
    database.put(key, otherValue)
    database.put(other, value)
    return key
  }),
  inDatabase('the loss', (database, random, entries) => {
    const [key] = pickEntry(
      random,
      entries.filter(([found]) => LOSS_IS_NOTICED.has(found[0] as number)),
    )
    database.remove(key)
    return key
  }),
]

function nameOf(key: Buffer): string {
  const [column] = Object.entries(COLUMNS).find(([, { byte }]) => byte === key[0]) ?? ['mark']
  return `${column} ${bytesToHex(key)}`
}

export const DAMAGE_KINDS: number = DAMAGES.length
