/**
 * Reads a state dump, of this node (line by line) or of anvil (piece by piece), and loads it.
 * @module
 */

import { MAX_ANVIL_DUMP_BYTES, MAX_DUMP_LINE_BYTES, MAX_LOADED_DUMP_BYTES } from '../../base/limits/limits.ts'
import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { concatBytes } from '../../base/primitives/bytes.ts'
import { isNodeError, type NodeError } from '../../base/primitives/errors.ts'
import type { AccountChange } from '../../chain/dev/dump.ts'
import { invalidDump } from '../../chain/dev/invalidDump.ts'
import type { ChainLoad, LoadedBlock } from '../../chain/dev/load.ts'
import type { LoadedRun } from '../../chain/dev/loadedRuns.ts'
import { decodeDevEnvironment } from '../../chain/devEnvironment.ts'
import type { DevEnvironment } from '../../evm/evm.ts'
import type { GenesisAccount } from '../../state/genesisState.ts'
import { address, data, hash32, uint64, wei, word } from '../codecs/scalars.ts'
import { asObject, type JsonObject } from '../codecs/support.ts'
import { loadAnvilDump } from './anvilDump.ts'
import { dumpedAccount, dumpedStorage } from './dumpedAccount.ts'
import { decompress, isGzip } from './gzip.ts'
import { DUMP_FORMAT, LineHash } from './writeDump.ts'

const LINE_FEED = 0x0a
const OWN_START = '{"isonode":'
const SECTION_START = /^"(\w+)":[[{]$/
const SECTION_END = /^[\]}],$/
const END_START = '"isonode_end":'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Loads a dump; nothing is changed when it is not valid.
 * @param source the document, possibly compressed
 * @throws {NodeError} INVALID_DUMP
 */
export async function loadDump(
  source: AsyncIterable<Uint8Array>,
  load: ChainLoad,
  slicer: TimeSlicer | undefined,
): Promise<void> {
  const { start, whole } = await peeked(await plain(source))
  if (textOf(start) !== OWN_START) {
    const problem = `a dump of anvil may have at most ${MAX_ANVIL_DUMP_BYTES} bytes`
    return loadAnvilDump(limited(whole, MAX_ANVIL_DUMP_BYTES, problem), load, slicer)
  }
  const lines = linesOf(limited(whole, MAX_LOADED_DUMP_BYTES, `it is larger than ${MAX_LOADED_DUMP_BYTES} bytes`))
  const first = await lines.next()
  if (first.done === true) throw incomplete()
  try {
    await new OwnDump(load, slicer).run(first.value, lines)
  } catch (error) {
    if (isNodeError(error, 'INVALID_PARAMS') || error instanceof SyntaxError) throw invalidDump(error.message)
    throw error
  }
}

async function plain(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) throw invalidDump('it is empty')
  const whole = continued(first.value, chunks)
  return isGzip(first.value) ? decompress(whole) : whole
}

async function* continued(
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield start
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** The first bytes decide about the form before anything is collected. */
async function peeked(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly start: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  for (let length = 0; length < OWN_START.length; ) {
    const { done, value } = await chunks.next()
    if (done === true) break
    parts.push(value.slice())
    length += value.length
  }
  const begun = joined(parts)
  if (begun.length === 0) throw invalidDump('it is empty')
  return { start: begun.subarray(0, OWN_START.length), whole: continued(begun, chunks) }
}

async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  problem: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw invalidDump(problem)
    yield chunk
  }
}

/** Lines with their line feed; the last one may lack it. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      yield joined([...parts, chunk.subarray(from, end + 1)])
      parts = []
      bytes = 0
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.slice(from))
    bytes += chunk.length - from
    if (bytes > MAX_DUMP_LINE_BYTES) throw invalidDump(`a line is longer than ${MAX_DUMP_LINE_BYTES} bytes`)
  }
  if (parts.length > 0) yield joined(parts)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(...parts)
}

function textOf(line: Uint8Array): string {
  try {
    return decoder.decode(line).trimEnd()
  } catch {
    throw invalidDump('it is not UTF-8')
  }
}

/** A dump of this node (writeDump.ts). */
class OwnDump {
  readonly #load: ChainLoad
  readonly #slicer: TimeSlicer | undefined
  readonly #hash = new LineHash()
  #blocks = 0
  /** The account whose storage continues in the next line. */
  #account: GenesisAccount | undefined

  constructor(load: ChainLoad, slicer: TimeSlicer | undefined) {
    this.#load = load
    this.#slicer = slicer
  }

  async run(first: Uint8Array, lines: AsyncIterable<Uint8Array>): Promise<void> {
    const expected = await this.#begin(textOf(first))
    this.#hash.add(first)
    let section: string | undefined
    let isEnded = false
    for await (const line of lines) {
      if (isEnded) throw invalidDump('data follow its end')
      const text = textOf(line)
      if (line.at(-1) !== LINE_FEED && !text.endsWith('}}')) throw incomplete()
      isEnded = section === undefined && text.startsWith(END_START)
      if (isEnded) {
        this.#checkEnd(text)
        continue
      }
      this.#hash.add(line)
      if (section === undefined) section = SECTION_START.exec(text)?.[1]
      else if (SECTION_END.test(text)) section = undefined
      else await this.#item(section, text)
      if (this.#slicer?.isDue) await this.#slicer.yield()
    }
    if (!isEnded) throw incomplete()
    if (this.#blocks !== expected) throw invalidDump(`expected ${expected} blocks, got ${this.#blocks}`)
  }

  async #begin(text: string): Promise<number> {
    const { isonode } = JSON.parse(`${text.slice(0, -1)}}`) as { isonode?: unknown }
    const { format, genesisHash, blocks, base } = asObject(isonode, 'isonode')
    if (format !== DUMP_FORMAT) {
      throw invalidDump(`its format is ${String(format)}, this version reads format ${DUMP_FORMAT}`)
    }
    await this.#load.begin(hash32.parse(genesisHash), Number(base))
    return Number(blocks)
  }

  #checkEnd(text: string): void {
    const { isonode_end: end } = JSON.parse(`{${text}`) as { isonode_end?: { lines?: unknown; keccak256?: unknown } }
    if (end?.lines === this.#hash.count && end.keccak256 === this.#hash.hex) return
    throw invalidDump('its checksum does not match')
  }

  #item(section: string, text: string): Promise<void> | undefined {
    if (section === 'isonode_genesis') return this.#accountLine(text)
    if (section !== 'blocks' && section !== 'isonode_runs') return undefined
    const item: unknown = JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text)
    if (section === 'isonode_runs') {
      const run = runOf(asObject(item, 'run'))
      this.#blocks += run.last - run.first + 1
      this.#load.run(run)
      return undefined
    }
    const { isonode } = item as { isonode?: unknown }
    this.#blocks++
    return this.#load.block(blockOf(asObject(isonode, 'block')))
  }

  #accountLine(line: string): Promise<void> {
    const text = line.startsWith(',') ? line.slice(1) : line
    const isLast = text.endsWith('}}')
    const before = this.#account
    const members = isLast ? text.slice(0, -2) : text
    const account =
      before === undefined
        ? accountOf(JSON.parse(`{${members}}}}`) as JsonObject)
        : { ...withoutCode(before), storage: dumpedStorage(JSON.parse(`{${members}}`)) }
    this.#account = isLast ? undefined : account
    return this.#load.account(account)
  }
}

function incomplete(): NodeError {
  return invalidDump('it is incomplete, its end is missing')
}

function withoutCode({ address: target, balance, nonce }: GenesisAccount): GenesisAccount {
  return { address: target, balance, ...(nonce === undefined ? {} : { nonce }) }
}

/** @param json an object with one member: address → account */
function accountOf(json: JsonObject): GenesisAccount {
  const [entry] = Object.entries(json)
  if (entry === undefined) throw invalidDump('an account is missing')
  return dumpedAccount(...entry)
}

function blockOf(json: JsonObject): LoadedBlock {
  const { rlp, senders, hashes, receipts, terms, amendment, changes, run } = json
  return {
    rlp: data.parse(rlp),
    senders: listOf(senders).map((sender) => address.parse(sender)),
    hashes: listOf(hashes).map((hash) => hash32.parse(hash)),
    receipts: receipts === null ? undefined : data.parse(receipts),
    terms: terms === null ? undefined : data.parse(terms),
    changes: changes === null ? undefined : listOf(changes).map(changeOf),
    amendment: amendment === null ? undefined : amendmentOf(asObject(amendment, 'amendment')),
    run: run === undefined ? undefined : data.parse(run),
  }
}

function runOf({ first, last, record }: JsonObject): LoadedRun {
  return { first: Number(uint64.parse(first)), last: Number(uint64.parse(last)), record: data.parse(record) }
}

function amendmentOf(json: JsonObject): NonNullable<LoadedBlock['amendment']> {
  const { stateRoot, impersonates, setsHeader, environment } = json
  return {
    stateRoot: stateRoot === null ? undefined : { hash: hash32.parse(stateRoot), version: 0 },
    impersonates: impersonates === true,
    setsHeader: setsHeader === true,
    environment: environment === undefined ? undefined : environmentOf(data.parse(environment)),
  }
}

function environmentOf(encoded: Uint8Array): DevEnvironment {
  try {
    return decodeDevEnvironment(encoded)
  } catch {
    throw invalidDump('the environment of a block cannot be decoded')
  }
}

function changeOf(json: unknown): AccountChange {
  const { address: target, after, isErased, slots } = asObject(json, 'change')
  return {
    address: address.parse(target),
    after: after === null ? undefined : accountAfter(asObject(after, 'account')),
    isErased: isErased === true,
    slots: listOf(slots).map((slot) => {
      const [key, value] = listOf(slot)
      return [word.parse(key), word.parse(value)] as const
    }),
  }
}

function accountAfter({ nonce, balance, code }: JsonObject): NonNullable<AccountChange['after']> {
  return {
    nonce: uint64.parse(nonce),
    balance: wei.parse(balance),
    code: code === undefined ? undefined : data.parse(code),
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidDump('a list is missing')
}
