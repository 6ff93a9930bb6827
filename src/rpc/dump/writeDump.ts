/**
 * Writes a state dump: a JSON document that anvil reads, with further members that hold the whole history. It is written
 * in lines, so that this node reads it without holding it in memory: each section begins with a line `"name":[` or
 * `"name":{` and ends with a line that holds the closing bracket and a comma. The last line has the number of lines
 * before it and a chained hash of them.
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { bytesToHex, concatBytes, equalBytes, quantity } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../base/primitives/keccak.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import type { StoredHeader } from '../../chain/blockTables.ts'
import {
  type AccountChange,
  type ChainDump,
  type DumpedBlock,
  type DumpedRun,
  unknownPreimage,
} from '../../chain/dev/dump.ts'
import type { DevAmendment } from '../../chain/devAmendment.ts'
import { encodeDevEnvironment } from '../../chain/devEnvironment.ts'
import { nextBlobBaseFeeOf } from '../../chain/nextBlock.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { AccountEntry, StateReader, StateSource } from '../../state/contract.ts'
import { accountPages, storagePages } from '../../state/pages.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { decodeBlock } from '../../types/blockCodec.ts'
import { decodeStoredReceipts } from '../../types/receiptCodec.ts'
import { transactionSender } from '../../types/transactionCodec.ts'
import { blockEnvironment, blockObject, type DumpedTransaction, minedObject } from './anvilObjects.ts'

export const DUMP_FORMAT = 1

export interface DumpInput {
  readonly dump: ChainDump
  readonly config: ChainConfig
  readonly states: Pick<StateSource, 'at'>
  readonly residency: Residency | undefined
  readonly slicer: TimeSlicer | undefined
}

const encoder = new TextEncoder()
/** Lines are passed on together: compressing or writing each one would take many times as long. */
const CHUNK_BYTES = 65_536

/** Hash of the lines so far. */
export class LineHash {
  #hash = new Uint8Array(32)
  #count = 0

  get count(): number {
    return this.#count
  }

  get hex(): string {
    return bytesToHex(this.#hash)
  }

  /** @param line with its line feed */
  add(line: Uint8Array): void {
    this.#hash = new Uint8Array(keccak256(concatBytes(this.#hash, line)))
    this.#count++
  }
}

/**
 * @returns the document in pieces of UTF-8
 * @throws {NodeError} CHAIN_MOVED when blocks are removed meanwhile; BLOCK_DATA_MISSING
 */
export async function* writeDump(input: DumpInput): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = new LineHash()
  let lines: Uint8Array[] = []
  let length = 0
  for await (const text of dumpLines(input)) {
    const line = encoder.encode(`${text}\n`)
    hash.add(line)
    lines.push(line)
    length += line.length
    if (length >= CHUNK_BYTES) {
      yield concatBytes(...lines)
      lines = []
      length = 0
    }
    if (input.slicer?.isDue) await input.slicer.yield()
  }
  yield concatBytes(...lines)
  yield encoder.encode(`"isonode_end":{"lines":${hash.count},"keccak256":"${hash.hex}"}}\n`)
}

async function* dumpLines(input: DumpInput): AsyncGenerator<string, void, undefined> {
  const { dump, config, states } = input
  const { head } = dump
  const headNumber = Number(head.header.number)
  const genesis = await resident(input, () => dump.header(dump.firstNumber))
  const origin = { format: DUMP_FORMAT, chainId: quantity(config.chainId), genesisHash: bytesToHex(genesis.hash) }
  const base = await lowestState(input, headNumber)
  yield `{"isonode":${JSON.stringify({ ...origin, blocks: headNumber + 1 - dump.firstNumber, base })},`
  yield `"block":${JSON.stringify(blockEnvironment(head, nextBlobBaseFeeOf(config, head.header) ?? 1n))},`
  yield `"best_block_number":${headNumber},`
  yield '"isonode_genesis":{'
  const first = states.at(await resident(input, () => dump.header(base)))
  if (first !== undefined) yield* accountLines(input, first, quotedNonce)
  yield '},'
  const runs = await resident(input, () => dump.runs())
  if (runs.length > 0) {
    yield '"isonode_runs":['
    for (const [i, run] of runs.entries()) yield JSON.stringify(runObject(run)) + (i < runs.length - 1 ? ',' : '')
    yield '],'
  }
  yield '"blocks":['
  yield* blockLines(input, headNumber, runs)
  yield '],'
  yield '"transactions":['
  yield* transactionLines(input, headNumber, runs)
  yield '],'
  yield '"historical_states":null,'
  yield '"accounts":{'
  const last = states.at(head)
  if (last !== undefined) yield* accountLines(input, last, String)
  yield '},'
}

/** The lowest block whose state is available: the states of a loaded chain may begin above the genesis block. */
async function lowestState(input: DumpInput, head: number): Promise<number> {
  let low = input.dump.firstNumber
  let high = head
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { stateRoot } = await resident(input, () => input.dump.header(middle))
    if (stateRoot.isMissing === true) low = middle + 1
    else high = middle
  }
  return low
}

async function* blockLines(
  input: DumpInput,
  last: number,
  runs: readonly DumpedRun[],
): AsyncGenerator<string, void, undefined> {
  let parent: Pick<StoredHeader, 'hash'> | undefined
  for (const place of storedNumbers(input.dump.firstNumber, last, runs)) {
    const { number } = place
    if (place.after !== undefined) parent = { hash: place.after.lastHash }
    const { header, block } = await readBlock(input, number)
    if (parent !== undefined && !equalBytes(header.header.parentHash, parent.hash)) throw moved()
    parent = header
    const body = decodeBlock(rlpDecode(block.rlp))
    const json = { ...blockObject(header, body, transactionsOf(block)), isonode: ownObject(block) }
    yield JSON.stringify(json) + (number < last ? ',' : '')
  }
}

/** Numbers of the blocks that are not derived; `after`: the run that ends before the block. */
function* storedNumbers(
  first: number,
  last: number,
  runs: readonly DumpedRun[],
): Generator<{ readonly number: number; readonly after: DumpedRun | undefined }, void, undefined> {
  let next = first
  let after: DumpedRun | undefined
  for (const run of [...runs, undefined]) {
    for (; next <= last && next !== run?.first; next++) {
      yield { number: next, after }
      after = undefined
    }
    if (run === undefined) return
    next = run.last + 1
    after = run
  }
}

async function* transactionLines(
  input: DumpInput,
  last: number,
  runs: readonly DumpedRun[],
): AsyncGenerator<string, void, undefined> {
  let separator = ''
  for (const { number } of storedNumbers(input.dump.firstNumber, last, runs)) {
    const { header, block } = await readBlock(input, number)
    if (block.receipts === undefined) continue
    const receipts = decodeStoredReceipts(block.receipts)
    const list = transactionsOf(block).flatMap((transaction, index) => {
      const receipt = receipts[index]
      return receipt === undefined ? [] : [JSON.stringify(minedObject(header, transaction, index, receipt))]
    })
    yield separator + list.join(',')
    separator = ','
  }
}

function readBlock(
  input: DumpInput,
  number: number,
):
  | { readonly header: StoredHeader; readonly block: DumpedBlock }
  | Promise<{ header: StoredHeader; block: DumpedBlock }> {
  return resident(input, () => {
    const header = input.dump.header(number)
    return { header, block: input.dump.block(header) }
  })
}

function transactionsOf({ rlp, senders, hashes, amendment }: DumpedBlock): DumpedTransaction[] {
  return decodeBlock(rlpDecode(rlp)).transactions.map((transaction, at) => {
    const from = senders[at] as Uint8Array
    const mayImpersonate = amendment?.impersonates === true
    const signer = mayImpersonate ? transactionSender(transaction) : from
    const isImpersonated = signer === undefined || !equalBytes(signer, from)
    return { transaction, hash: hashes[at] as Uint8Array, from, isImpersonated }
  })
}

function runObject({ first, last, record }: DumpedRun): unknown {
  return { first: quantity(first), last: quantity(last), record: bytesToHex(record) }
}

function ownObject({ rlp, senders, hashes, receipts, terms, changes, amendment, run }: DumpedBlock): unknown {
  return {
    rlp: bytesToHex(rlp),
    senders: senders.map(bytesToHex),
    hashes: hashes.map(bytesToHex),
    receipts: receipts === undefined ? null : bytesToHex(receipts),
    terms: terms === undefined ? null : bytesToHex(terms),
    amendment: amendment === undefined ? null : amendmentObject(amendment),
    changes: changes === undefined ? null : changes.map(changeObject),
    ...(run === undefined ? {} : { run: bytesToHex(run) }),
  }
}

function amendmentObject({ stateRoot, impersonates, setsHeader, environment }: DevAmendment): unknown {
  return {
    stateRoot: stateRoot === undefined ? null : bytesToHex(stateRoot.hash),
    impersonates,
    setsHeader,
    ...(environment === undefined ? {} : { environment: bytesToHex(encodeDevEnvironment(environment)) }),
  }
}

function changeObject({ address, after, isErased, slots }: AccountChange): unknown {
  return {
    address: bytesToHex(address),
    after:
      after === undefined
        ? null
        : {
            nonce: quantity(after.nonce),
            balance: quantity(after.balance),
            ...(after.code === undefined ? {} : { code: bytesToHex(after.code) }),
          },
    ...(isErased ? { isErased } : {}),
    slots: slots.map((slot) => slot.map(bytesToHex)),
  }
}

/** The accounts of a state as members of an object; long storages take several lines. */
async function* accountLines(
  input: DumpInput,
  state: StateReader,
  nonceText: (nonce: bigint) => string,
): AsyncGenerator<string, void, undefined> {
  let separator = ''
  for await (const page of accountPages(state, input.residency)) {
    for (const entry of page) {
      yield* oneAccount(input, state, entry, { separator, nonceText })
      separator = ','
    }
  }
}

async function* oneAccount(
  input: DumpInput,
  state: StateReader,
  { hash, address, account }: AccountEntry,
  { separator, nonceText }: { readonly separator: string; readonly nonceText: (nonce: bigint) => string },
): AsyncGenerator<string, void, undefined> {
  if (address === undefined) throw unknownPreimage(hash)
  const { nonce, balance, codeHash } = account
  const code = equalBytes(codeHash, EMPTY_CODE_HASH)
    ? '0x'
    : bytesToHex(await resident(input, () => state.getCode(address)))
  const start =
    `${separator}"${bytesToHex(address)}":{"nonce":${nonceText(nonce)},"balance":"${quantity(balance)}",` +
    `"code":"${code}","storage":{`
  let text = start
  let isFirst = true
  const hasStorage = !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
  const pages = hasStorage ? storagePages(state, address, input.residency) : []
  for await (const page of pages) {
    const members = page.map(({ hash: slotHash, slot, value }) => {
      if (slot === undefined) throw unknownPreimage(slotHash)
      return `"${bytesToHex(slot)}":"${bytesToHex(value)}"`
    })
    if (!isFirst) yield text
    text = `${isFirst ? text : ','}${members.join(',')}`
    isFirst = false
  }
  yield `${text}}}`
}

/** JSON numbers of more than 53 bits lose digits. */
function quotedNonce(nonce: bigint): string {
  return `"${quantity(nonce)}"`
}

function resident<T>({ residency }: DumpInput, work: () => T): T | Promise<T> {
  return retryMissesMaybe(work, residency)
}

function moved(): NodeError {
  return new NodeError({ code: 'CHAIN_MOVED' }, 'blocks were removed while the state was dumped')
}
