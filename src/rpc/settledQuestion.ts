/**
 * Requests whose answers can never change: about a block that is named by its hash, or by a number that is final.
 * @module
 */

/** A request in a form that all requests with the same meaning share. */
export interface SettledQuestion {
  /** The id of this request, as JSON. */
  readonly id: string
  /** Method and parameters, as JSON. */
  readonly question: string
}

/** Where a method names the only block on which its answer depends, together with the blocks before it. */
type BlockPlace = { readonly hashAt: number } | { readonly blockAt: number } | { readonly filterAt: number }

const PLACES: Readonly<Record<string, BlockPlace>> = {
  eth_getBlockByHash: { hashAt: 0 },
  eth_getBlockByNumber: { blockAt: 0 },
  eth_getBlockReceipts: { blockAt: 0 },
  eth_getBlockTransactionCountByHash: { hashAt: 0 },
  eth_getBlockTransactionCountByNumber: { blockAt: 0 },
  eth_getTransactionByBlockHashAndIndex: { hashAt: 0 },
  eth_getTransactionByBlockNumberAndIndex: { blockAt: 0 },
  eth_getUncleByBlockHashAndIndex: { hashAt: 0 },
  eth_getUncleByBlockNumberAndIndex: { blockAt: 0 },
  eth_getUncleCountByBlockHash: { hashAt: 0 },
  eth_getUncleCountByBlockNumber: { blockAt: 0 },
  eth_getBalance: { blockAt: 1 },
  eth_getCode: { blockAt: 1 },
  eth_getTransactionCount: { blockAt: 1 },
  eth_getStorageAt: { blockAt: 2 },
  eth_getProof: { blockAt: 2 },
  eth_call: { blockAt: 1 },
  eth_createAccessList: { blockAt: 1 },
  eth_getLogs: { filterAt: 0 },
  debug_traceBlockByHash: { hashAt: 0 },
  debug_traceBlockByNumber: { blockAt: 0 },
  trace_block: { blockAt: 0 },
  trace_replayBlockTransactions: { blockAt: 0 },
}

/** Longer requests are rare, and comparing them takes longer. */
const MAX_REQUEST_LENGTH = 64 * 1024
const MAX_ID_LENGTH = 100
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/i
const HASH = /^0x[0-9a-f]{64}$/i
const HEX = /^0x[0-9a-f]*$/i

/**
 * @param body one JSON-RPC request
 * @param finalized number of the last block that cannot be replaced; undefined: none is known
 * @returns undefined when the answer may change, or when the request has to be read by the envelope
 */
export function settledQuestion(body: string, finalized: bigint | undefined): SettledQuestion | undefined {
  const request = body.length > MAX_REQUEST_LENGTH ? undefined : parsedObject(body)
  if (request === undefined || request['jsonrpc'] !== '2.0') return undefined
  const { id, method, params } = request
  const isPlainId = (typeof id === 'string' && id.length <= MAX_ID_LENGTH) || Number.isSafeInteger(id)
  const place = typeof method === 'string' && Object.hasOwn(PLACES, method) ? PLACES[method] : undefined
  if (!isPlainId || place === undefined || !Array.isArray(params)) return undefined
  if (!isSettled(place, params, finalized)) return undefined
  return { id: JSON.stringify(id), question: JSON.stringify([method, canonical(params)]) }
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value))
}

function isSettled(place: BlockPlace, params: readonly unknown[], finalized: bigint | undefined): boolean {
  if ('hashAt' in place) return isHash(params[place.hashAt])
  if ('blockAt' in place) return isSettledBlock(params[place.blockAt], finalized)
  const filter = asObject(params[place.filterAt])
  if (filter === undefined) return false
  if (filter['blockHash'] !== undefined) return isHash(filter['blockHash'])
  return isFinal(filter['fromBlock'], finalized) && isFinal(filter['toBlock'], finalized)
}

function isSettledBlock(value: unknown, finalized: bigint | undefined): boolean {
  const named = asObject(value)
  if (named === undefined) return isHash(value) || isFinal(value, finalized)
  // Whether a block is canonical may change.
  if (named['requireCanonical'] !== undefined && named['requireCanonical'] !== false) return false
  return isHash(named['blockHash']) || isFinal(named['blockNumber'], finalized)
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value)
}

function isFinal(value: unknown, finalized: bigint | undefined): boolean {
  return finalized !== undefined && typeof value === 'string' && QUANTITY.test(value) && BigInt(value) <= finalized
}

/** Members in order, hex in lower case. */
function canonical(value: unknown): unknown {
  if (typeof value === 'string') return HEX.test(value) ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(canonical)
  const members = asObject(value)
  if (members === undefined) return value
  const names = Object.keys(members).sort()
  return Object.fromEntries(names.map((name) => [name, canonical(members[name])]))
}
