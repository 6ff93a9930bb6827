/**
 * Requests about blocks of a remote that it answers itself: searches for logs, and proofs.
 * @module
 */
import { MAX_FORK_LOG_QUERIES, MAX_LOG_RESULTS } from '../base/limits/limits.ts'
import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes, quantity } from '../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import type { LogTerms } from '../chain/contract.ts'
import type { RemoteRequest, RemoteResult } from '../remote/contract.ts'
import { isMissingMethod } from '../remote/refusals.ts'
import { verifyAccountProof } from '../state/accountProof.ts'
import type { AccountProof } from '../state/contract.ts'
import type { Log } from '../types/receipt.ts'
import { readLog } from './blockJson.ts'
import { contradictedAnswer } from './errors.ts'
import { acceptedValue, type RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readBytes, readList } from './remoteObject.ts'

/** A log with its place in the chain, as the remote says it. */
export interface ForkLog {
  readonly log: Log
  readonly blockNumber: bigint
  /** 32 bytes */
  readonly blockHash: Uint8Array
  /** 32 bytes */
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
  readonly removed: false
}

/** First and last block. */
interface BlockRange {
  readonly from: number
  readonly to: number
}

const METHOD = 'eth_getLogs'
/** Nodes of a proof: one for each digit of a key. */
const MAX_PROOF_NODES = 65

export class ForkQueries {
  readonly #remote: RemoteAccess

  constructor(remote: RemoteAccess) {
    this.#remote = remote
  }

  /**
   * Matching logs of the blocks from `from` to `to`, in order. A range that the remote refuses is halved. Nothing proves
   * that no log is missing: where only proofs count, the node searches the receipts itself.
   * @param range at most up to the fork block
   * @throws {NodeError} RANGE_TOO_LARGE for too many logs or too small ranges; REMOTE_REFUSED for a single block
   */
  async logs(terms: LogTerms, range: BlockRange): Promise<ForkLog[]> {
    const found: { readonly from: number; readonly logs: readonly ForkLog[] }[] = []
    let count = 0
    let queries = 0
    for (let ranges: readonly BlockRange[] = [range]; ranges.length > 0; ) {
      queries += ranges.length
      if (queries > MAX_FORK_LOG_QUERIES) throw tooLarge(`more than ${MAX_FORK_LOG_QUERIES} requests to the remote`)
      const refused: BlockRange[] = []
      const results = await this.#ask(terms, ranges)
      for (const [i, result] of results.entries()) {
        const part = ranges[i] as BlockRange
        if (result.kind === 'error') refused.push(...halves(part, result))
        else {
          const logs = readLogs(result.value, terms, part)
          count += logs.length
          found.push({ from: part.from, logs })
        }
      }
      if (count > MAX_LOG_RESULTS) throw tooLarge(`more than ${MAX_LOG_RESULTS} results`)
      ranges = refused
    }
    return found.sort((a, b) => a.from - b.from).flatMap(({ logs }) => logs)
  }

  /**
   * Proof of an account and of slots at a block of the remote. It shows what it claims.
   * @throws {NodeError} PROOF_INVALID, REMOTE_REFUSED
   */
  async proof(block: RemoteBlock, address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof> {
    const at = this.#remote.blockParameter(block)
    const request = { method: 'eth_getProof', params: [bytesToHex(address), slots.map(bytesToHex), at] }
    const [answer] = await this.#remote.valuesOf([request], `a proof of account ${bytesToHex(address)}`)
    const { account, values } = verifyAccountProof(block.stateRoot, address, slots, answer)
    const json = new RemoteObject(answer, 'eth_getProof')
    const nodesOf = (fields: RemoteObject, name: string) =>
      fields.list(name, MAX_PROOF_NODES, (node, datum) => readBytes(node, datum))
    const storage = json.list('storageProof', slots.length, (item, datum) => new RemoteObject(item, datum))
    return {
      account,
      accountProof: nodesOf(json, 'accountProof'),
      storageProof: slots.map((slot, i) => ({
        slot,
        value: values[i] as Uint8Array,
        proof: nodesOf(storage[i] as RemoteObject, 'proof'),
      })),
    }
  }

  /** An answer that is too long is a refusal as well. */
  async #ask(terms: LogTerms, ranges: readonly BlockRange[]): Promise<RemoteResult[]> {
    const requests = ranges.map((range) => logRequest(terms, range))
    try {
      return await this.#remote.requestAll(requests, `the logs of block ${ranges[0]?.from}`)
    } catch (error) {
      const isTooLong = isNodeError(error) && 'reason' in error.details && error.details.reason === 'answerTooLong'
      if (!isTooLong) throw error
      const { message } = error
      return ranges.map(() => ({ kind: 'error', error: { code: -32005, message } }))
    }
  }
}

function logRequest({ addresses, topics }: LogTerms, { from, to }: BlockRange): RemoteRequest {
  const filter = {
    fromBlock: quantity(from),
    toBlock: quantity(to),
    ...(addresses.length === 0 ? {} : { address: addresses.map(bytesToHex) }),
    topics: topics.map((alternatives) => alternatives?.map(bytesToHex) ?? null),
  }
  return { method: METHOD, params: [filter] }
}

/** @throws {NodeError} REMOTE_REFUSED when smaller ranges do not help */
function halves({ from, to }: BlockRange, result: RemoteResult & { readonly kind: 'error' }): BlockRange[] {
  if (from === to || isMissingMethod(result.error)) acceptedValue(result, { method: METHOD, params: [] })
  const middle = Math.floor((from + to) / 2)
  return [
    { from, to: middle },
    { from: middle + 1, to },
  ]
}

/** @throws {NodeError} PROOF_INVALID for logs that were not asked for */
function readLogs(value: unknown, terms: LogTerms, range: BlockRange): ForkLog[] {
  const items = readList(value, METHOD, MAX_LOG_RESULTS)
  let last: ForkLog | undefined
  return items.map((item, i) => {
    const datum = `${METHOD}[${i}]`
    const json = new RemoteObject(item, datum)
    const found: ForkLog = {
      log: readLog(item, datum),
      blockNumber: json.uint('blockNumber', 64),
      blockHash: json.bytes('blockHash', 32),
      transactionHash: json.bytes('transactionHash', 32),
      transactionIndex: json.number('transactionIndex'),
      logIndex: json.number('logIndex'),
      removed: false,
    }
    const fault = faultOf(found, last, terms, range)
    if (fault !== undefined) throw contradictedAnswer(datum, fault)
    last = found
    return found
  })
}

function faultOf(found: ForkLog, last: ForkLog | undefined, terms: LogTerms, range: BlockRange): string | undefined {
  const { blockNumber, logIndex, log } = found
  if (blockNumber < range.from || blockNumber > range.to) return `block ${blockNumber} was not asked for`
  if (!matches(log, terms)) return 'it does not match'
  if (last === undefined || last.blockNumber < blockNumber) return undefined
  const follows = last.blockNumber === blockNumber && last.logIndex < logIndex
  return follows ? undefined : 'it is not in the order of the chain'
}

function matches({ address, topics }: Log, terms: LogTerms): boolean {
  const isOneOf = (list: readonly Uint8Array[], value: Uint8Array): boolean =>
    list.some((item) => equalBytes(item, value))
  if (terms.addresses.length > 0 && !isOneOf(terms.addresses, address)) return false
  return terms.topics.every((alternatives, i) => {
    const topic = topics[i]
    return topic !== undefined && (alternatives === undefined || isOneOf(alternatives, topic))
  })
}

function tooLarge(what: string): NodeError {
  return new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned ${what}`)
}
