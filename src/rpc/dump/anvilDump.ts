/**
 * State dumps of anvil. They have blocks and receipts, but only the last state.
 * @module
 */

import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { invalidDump } from '../../chain/dev/invalidDump.ts'
import type { ChainLoad, LoadedBlock } from '../../chain/dev/load.ts'
import { NO_AMENDMENT } from '../../chain/devAmendment.ts'
import type { GenesisAccount } from '../../state/genesisState.ts'
import { createAddress } from '../../types/address.ts'
import type { Block, Header } from '../../types/block.ts'
import { encodeBlock } from '../../types/blockCodec.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import type { Log, StoredReceipt } from '../../types/receipt.ts'
import { encodeStoredReceipts } from '../../types/receiptCodec.ts'
import type { Authorization, Transaction } from '../../types/transaction.ts'
import { transactionHash, transactionSender } from '../../types/transactionCodec.ts'
import { accessList } from '../codecs/callObject.ts'
import { address, data, hash32, uint64, wei } from '../codecs/scalars.ts'
import { asObject, type JsonObject } from '../codecs/support.ts'
import { dumpedAccount } from './dumpedAccount.ts'
import { type JsonPiece, jsonPieces } from './jsonPieces.ts'

interface AnvilDump {
  readonly accounts: readonly (readonly [address: string, account: unknown])[]
  /** Ascending, without gaps, up to the best block; empty without it. */
  readonly blocks: readonly JsonObject[]
  /** By block hash and index. */
  readonly mined: ReadonlyMap<string, JsonObject>
}

/** @param source the document, uncompressed */
export async function loadAnvilDump(
  source: AsyncIterable<Uint8Array>,
  load: ChainLoad,
  slicer: TimeSlicer | undefined,
): Promise<void> {
  try {
    await loadParsed(await parseDump(source, slicer), load, slicer)
  } catch (error) {
    if (isNodeError(error, 'INVALID_PARAMS')) throw invalidDump(error.message)
    throw error
  }
}

async function parseDump(source: AsyncIterable<Uint8Array>, slicer: TimeSlicer | undefined): Promise<AnvilDump> {
  const accounts: [address: string, account: unknown][] = []
  const mined = new Map<string, JsonObject>()
  const blocks = new ReadBlocks()
  let hasAccounts = false
  let best = -1n
  for await (const { section, kind, name, value } of jsonPieces(source, slicer)) {
    if (section === 'accounts' && kind === 'member') accounts.push([name, value])
    else if (section === 'blocks') blocks.add(itemOf(kind, value))
    else if (section === 'transactions') {
      const entry = itemOf(kind, value)
      const info = asObject(entry['info'], 'info')
      mined.set(`${String(entry['block_hash'])}:${Number(info['transaction_index'])}`, entry)
    } else if (section === 'best_block_number') best = value === null ? -1n : uint64.parse(value)
    hasAccounts ||= section === 'accounts' && kind === 'member'
  }
  if (!hasAccounts) throw invalidDump('it has no accounts')
  return { accounts, blocks: blocks.upTo(best), mined }
}

function itemOf(kind: JsonPiece['kind'], value: unknown): JsonObject {
  if (kind === 'item') return asObject(value, 'item')
  throw invalidDump('a list is missing')
}

/** The dump also has blocks that a reorganisation removed: only those below the best one are kept. */
class ReadBlocks {
  readonly #byHash = new Map<string, JsonObject>()
  /** Hash of the last block of each number. */
  readonly #byNumber = new Map<bigint, string>()

  add(block: JsonObject): void {
    const header = headerOf(asObject(block['header'], 'header'))
    const hash = hash32.serialize(keccak256(encodeHeader(header))) as string
    this.#byHash.set(hash, block)
    this.#byNumber.set(header.number, hash)
  }

  /** Ascending. */
  upTo(best: bigint): JsonObject[] {
    const chain: JsonObject[] = []
    let block = this.#byHash.get(this.#byNumber.get(best) ?? '')
    while (block !== undefined) {
      chain.push(block)
      block = this.#byHash.get(String(asObject(block['header'], 'header')['parentHash']))
    }
    return chain.reverse()
  }
}

async function loadParsed({ accounts, blocks, mined }: AnvilDump, load: ChainLoad, slicer: TimeSlicer | undefined) {
  const [first] = blocks
  if (first === undefined) throw invalidDump('it has no best block')
  // No block has a state until the last one gets that of the accounts.
  await load.begin(keccak256(encodeHeader(headerOf(asObject(first['header'], 'header')))), Number.POSITIVE_INFINITY)
  for (const block of blocks) {
    await load.block(blockOf(block, mined))
    if (slicer?.isDue) await slicer.yield()
  }
  await load.finalState(accountsOf(accounts, slicer))
}

async function* accountsOf(
  accounts: AnvilDump['accounts'],
  slicer: TimeSlicer | undefined,
): AsyncGenerator<GenesisAccount, void, undefined> {
  for (const [key, value] of accounts) {
    yield dumpedAccount(key, value)
    if (slicer?.isDue) await slicer.yield()
  }
}

function blockOf(json: JsonObject, mined: ReadonlyMap<string, JsonObject>): LoadedBlock {
  const header = headerOf(asObject(json['header'], 'header'))
  const hash = hash32.serialize(keccak256(encodeHeader(header))) as string
  const senders: Uint8Array[] = []
  const hashes: Uint8Array[] = []
  const receipts: StoredReceipt[] = []
  let impersonates = false
  const transactions = objects(json['transactions']).map((entry, index) => {
    const transaction = transactionOf(asObject(entry['transaction'] ?? entry, 'transaction'))
    const { info, receipt } = mined.get(`${hash}:${index}`) ?? {}
    if (info === undefined || receipt === undefined) throw invalidDump(`block ${header.number} has no receipts`)
    const chainInfo = asObject(info, 'info')
    const sender = address.parse(chainInfo['from'])
    const signer = transactionSender(transaction)
    impersonates ||= signer === undefined || !equalBytes(signer, sender)
    senders.push(sender)
    hashes.push(
      chainInfo['transaction_hash'] === undefined
        ? transactionHash(transaction)
        : hash32.parse(chainInfo['transaction_hash']),
    )
    receipts.push(receiptOf(asObject(receipt, 'receipt'), receipts.at(-1), transaction, sender))
    return transaction
  })
  const withdrawals = header.withdrawalsRoot === undefined ? {} : { withdrawals: [] }
  const block: Block = { header, transactions, ommers: [], ...withdrawals }
  return {
    rlp: encodeBlock(block),
    senders,
    hashes,
    receipts: receipts.length === 0 ? undefined : encodeStoredReceipts(receipts),
    terms: undefined,
    changes: undefined,
    amendment: impersonates ? { ...NO_AMENDMENT, impersonates } : undefined,
  }
}

function receiptOf(
  json: JsonObject,
  before: StoredReceipt | undefined,
  transaction: Transaction,
  sender: Uint8Array,
): StoredReceipt {
  const cumulativeGasUsed = wei.parse(json['cumulativeGasUsed'])
  return {
    type: Number(uint64.parse(json['type'] ?? '0x0')) as StoredReceipt['type'],
    status: wei.parse(json['status']) === 1n,
    cumulativeGasUsed,
    gasUsed: cumulativeGasUsed - (before?.cumulativeGasUsed ?? 0n),
    logsBloom: data.parse(json['logsBloom']),
    logs: objects(json['logs']).map(logOf),
    ...(transaction.to === undefined ? { contractAddress: createAddress(sender, transaction.nonce) } : {}),
  }
}

function logOf(json: JsonObject): Log {
  const topics = json['topics']
  if (!Array.isArray(topics)) throw invalidDump('a log has no topics')
  return {
    address: address.parse(json['address']),
    topics: topics.map((topic) => hash32.parse(topic)),
    data: data.parse(json['data']),
  }
}

function transactionOf(json: JsonObject): Transaction {
  const type = Number(uint64.parse(json['type'] ?? '0x0'))
  const common = {
    nonce: uint64.parse(json['nonce']),
    gasLimit: wei.parse(json['gas']),
    to: json['to'] === null || json['to'] === undefined ? undefined : address.parse(json['to']),
    value: wei.parse(json['value']),
    data: data.parse(json['input']),
    r: wei.parse(json['r']),
    s: wei.parse(json['s']),
  }
  if (type === 0) return legacyOf(json, common)
  const typed = {
    ...common,
    chainId: wei.parse(json['chainId']),
    accessList: accessList.parse(json['accessList'] ?? []),
    yParity: wei.parse(json['yParity'] ?? json['v']),
  }
  if (type === 1) return { type, ...typed, gasPrice: wei.parse(json['gasPrice']) }
  const fees = {
    maxPriorityFeePerGas: wei.parse(json['maxPriorityFeePerGas']),
    maxFeePerGas: wei.parse(json['maxFeePerGas']),
  }
  if (type === 2) return { type, ...typed, ...fees }
  const to = address.parse(json['to'])
  if (type === 3) {
    const hashes = json['blobVersionedHashes']
    if (!Array.isArray(hashes)) throw invalidDump('a blob transaction has no hashes')
    const blobVersionedHashes = hashes.map((hash) => hash32.parse(hash))
    return { type, ...typed, ...fees, to, maxFeePerBlobGas: wei.parse(json['maxFeePerBlobGas']), blobVersionedHashes }
  }
  if (type !== 4) throw invalidDump(`there are no transactions of type ${type}`)
  return { type, ...typed, ...fees, to, authorizationList: objects(json['authorizationList']).map(authorizationOf) }
}

type CommonFields = Pick<Transaction, 'nonce' | 'gasLimit' | 'to' | 'value' | 'data' | 'r' | 's'>

/** anvil writes the parity in place of `v` for transactions with a chain id. */
function legacyOf(json: JsonObject, common: CommonFields): Transaction {
  const { chainId: given, v: givenV, yParity, gasPrice } = json
  const chainId = given === null || given === undefined ? undefined : wei.parse(given)
  const number = wei.parse(givenV ?? yParity)
  const base = chainId === undefined ? 27n : 35n + 2n * chainId
  return { type: 0, ...common, gasPrice: wei.parse(gasPrice), chainId, v: number < 2n ? base + number : number }
}

function authorizationOf(json: JsonObject): Authorization {
  return {
    chainId: wei.parse(json['chainId']),
    address: address.parse(json['address']),
    nonce: uint64.parse(json['nonce']),
    yParity: wei.parse(json['yParity']),
    r: wei.parse(json['r']),
    s: wei.parse(json['s']),
  }
}

function headerOf(json: JsonObject): Header {
  const optional = <K extends keyof Header>(name: K, parse: (value: unknown) => Header[K]): Partial<Header> =>
    json[name] === undefined || json[name] === null ? {} : { [name]: parse(json[name]) }
  return {
    parentHash: hash32.parse(json['parentHash']),
    ommersHash: hash32.parse(json['sha3Uncles']),
    beneficiary: address.parse(json['miner']),
    stateRoot: hash32.parse(json['stateRoot']),
    transactionsRoot: hash32.parse(json['transactionsRoot']),
    receiptsRoot: hash32.parse(json['receiptsRoot']),
    logsBloom: data.parse(json['logsBloom']),
    difficulty: wei.parse(json['difficulty']),
    number: uint64.parse(json['number']),
    gasLimit: wei.parse(json['gasLimit']),
    gasUsed: wei.parse(json['gasUsed']),
    timestamp: uint64.parse(json['timestamp']),
    extraData: data.parse(json['extraData']),
    mixHash: hash32.parse(json['mixHash']),
    nonce: data.parse(json['nonce']),
    ...optional('baseFeePerGas', (value) => wei.parse(value)),
    ...optional('withdrawalsRoot', (value) => hash32.parse(value)),
    ...optional('blobGasUsed', (value) => wei.parse(value)),
    ...optional('excessBlobGas', (value) => wei.parse(value)),
    ...optional('parentBeaconBlockRoot', (value) => hash32.parse(value)),
    ...optional('requestsHash', (value) => hash32.parse(value)),
  }
}

function objects(value: unknown): JsonObject[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidDump('a list is missing')
  return value.map((item) => asObject(item, 'item'))
}
