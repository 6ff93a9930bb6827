/**
 * Transactions that an account takes part in, found in the blocks that the index of accounts names.
 *
 * The index may name too many blocks, so each is verified: by senders, recipients and created contracts, and by execution
 * where a transaction may have called the account.
 * @module
 */
import { loadBlock } from '../../../api/views.ts'
import { MAX_OTS_SEARCH_BLOCKS, MAX_OTS_SEARCH_GAS } from '../../../base/limits/otsLimits.ts'
import type { YieldToHost } from '../../../base/ports/yieldToHost.ts'
import { bytesToHex, equalBytes, quantity } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { EMPTY_TRIE_ROOT } from '../../../base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { retryMissesMaybe } from '../../../storage/retryMisses.ts'
import { callFrom, type FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { createAddress } from '../../../types/address.ts'
import { intrinsicGas } from '../../../types/intrinsicGas.ts'
import type { RequestContext } from '../../method.ts'
import { type OtsTraceBackend, traceTransactions } from './tracedBlock.ts'

/** A search yields after this number of blocks that need no execution. */
const YIELD_BLOCKS = 64

export interface SearchBackend extends OtsTraceBackend {
  readonly yieldToHost: YieldToHost
}

/** Blocks from `first` to `last`, both inclusive. */
export interface SearchRange {
  readonly first: number
  readonly last: number
  /** Whether the search begins with the last block. */
  readonly isDescending: boolean
}

export interface SearchHit {
  readonly block: ChainHeader
  /** Ascending. */
  readonly indexes: readonly number[]
}

export interface SearchResult {
  /** In the order of the search. */
  readonly hits: readonly SearchHit[]
  /** Whether the range has, or may have, further transactions. */
  readonly hasMore: boolean
}

/** A block, by what its transactions show without an execution. */
interface SeenBlock {
  readonly header: ChainHeader
  /** Transactions that name the account. */
  readonly direct: readonly number[]
  /** Transactions that may have called the account. */
  readonly unclear: readonly number[]
}

/** Searches once, in one range. */
export class AccountSearch {
  readonly #backend: SearchBackend
  readonly #account: Uint8Array
  readonly #range: SearchRange
  readonly #context: RequestContext
  readonly #numbers: CandidateNumbers
  #blocksLeft = MAX_OTS_SEARCH_BLOCKS
  #gasLeft = MAX_OTS_SEARCH_GAS

  constructor(backend: SearchBackend, account: Uint8Array, range: SearchRange, context: RequestContext) {
    this.#backend = backend
    this.#account = account
    this.#range = range
    this.#context = context
    this.#numbers = new CandidateNumbers(backend.chain, account, range)
  }

  /**
   * @param size number of transactions after which no further block is added
   * @throws {NodeError} SEARCH_INCOMPLETE when the limits end the search before it has found anything; WORLD_STATE_UNAVAILABLE
   *   or STATE_PRUNED when the first block that must be executed cannot be
   */
  async page(size: number): Promise<SearchResult> {
    const hits: SearchHit[] = []
    const { residency } = this.#backend
    for (let found = 0; ; ) {
      const number = await retryMissesMaybe(() => this.#numbers.next(), residency)
      if (number === undefined) return { hits, hasMore: false }
      if (this.#blocksLeft === 0 || this.#gasLeft <= 0n) {
        if (found === 0) throw await retryMissesMaybe(() => this.#incomplete(number), residency)
        return { hits, hasMore: true }
      }
      let hit: SearchHit | undefined
      try {
        hit = await this.#examine(number)
      } catch (error) {
        if (found === 0 || !isStateMissing(error)) throw error
        // The next page begins with this block, and says why it cannot be executed.
        return { hits, hasMore: true }
      }
      if (hit === undefined) continue
      if (found >= size) return { hits, hasMore: true }
      hits.push(hit)
      found += hit.indexes.length
    }
  }

  /** undefined: no transaction of the block takes part */
  async #examine(number: number): Promise<SearchHit | undefined> {
    const seen = await retryMissesMaybe(() => this.#look(number), this.#backend.residency)
    this.#blocksLeft--
    if (this.#blocksLeft % YIELD_BLOCKS === 0) await this.#yieldToHost()
    if (seen === undefined) return undefined
    const { header, direct, unclear } = seen
    const called = unclear.length === 0 ? [] : await this.#called(seen)
    const indexes = [...direct, ...called].sort((a, b) => a - b)
    return indexes.length === 0 ? undefined : { block: header, indexes }
  }

  /** The unclear transactions that called the account, or were called by it. */
  async #called({ header, unclear }: SeenBlock): Promise<number[]> {
    this.#gasLeft -= header.header.gasUsed
    const called: number[] = []
    await traceTransactions(this.#backend, header, unclear, this.#context, (index, entries) => {
      if (entries.some((entry) => touches(entry, this.#account))) called.push(index)
    })
    await this.#yieldToHost()
    return called
  }

  async #yieldToHost(): Promise<void> {
    await this.#backend.yieldToHost()
    const { signal } = this.#context
    if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }

  /** undefined: the block has no transactions */
  #look(number: number): SeenBlock | undefined {
    const { chain } = this.#backend
    const header = chain.headerByNumber(number)
    if (header === undefined || equalBytes(header.header.transactionsRoot, EMPTY_TRIE_ROOT)) return undefined
    const block = loadBlock(chain, header)
    if (block === undefined) return undefined
    const rules = chain.config.rulesAt(header.header)
    const [direct, unclear]: [number[], number[]] = [[], []]
    for (const [index, transaction] of block.body.transactions.entries()) {
      const sender = block.senders[index] as Uint8Array
      const recipient = transaction.to ?? createAddress(sender, transaction.nonce)
      if (equalBytes(sender, this.#account) || equalBytes(recipient, this.#account)) direct.push(index)
      // Without gas for an opcode, no code has called anything.
      else if (transaction.gasLimit > intrinsicGas(transaction, rules).intrinsic) unclear.push(index)
    }
    return { header, direct, unclear }
  }

  #incomplete(number: number): NodeError {
    const { isDescending } = this.#range
    // The methods exclude the block that they are given.
    const next = isDescending ? number + 1 : number - 1
    const where = isDescending ? 'before' : 'after'
    const reason = this.#isUnindexed(number) ? '; the index of accounts does not cover them, so each is examined' : ''
    return new NodeError(
      { code: 'SEARCH_INCOMPLETE', data: quantity(next) },
      `no transaction of ${bytesToHex(this.#account)} in the blocks that one search may examine: search again ${where} block ${next}${reason}`,
    )
  }

  /** The index names a block for any account when it does not know those of the block. @throws {StoreMiss} */
  #isUnindexed(number: number): boolean {
    const [named] = this.#backend.chain.index.blocksWithAccounts([], number, number)
    return named !== undefined
  }
}

/** The blocks that the index names, one by one. The query begins again where it was when the chain has changed. */
class CandidateNumbers {
  readonly #chain: ChainReader
  readonly #account: Uint8Array
  readonly #isDescending: boolean
  /** Both inclusive: what is left of the range. */
  #first: number
  #last: number
  #head: Uint8Array | undefined
  #query: Iterator<number> | undefined

  constructor(chain: ChainReader, account: Uint8Array, { first, last, isDescending }: SearchRange) {
    this.#chain = chain
    this.#account = account
    this.#isDescending = isDescending
    this.#first = first
    this.#last = last
  }

  /** @throws {StoreMiss} */
  next(): number | undefined {
    const { head } = this.#chain
    if (this.#head === undefined || !equalBytes(head.hash, this.#head)) this.#query = undefined
    this.#head = head.hash
    const query = this.#query ?? this.#begin()
    // An iterator that has thrown is at its end.
    this.#query = undefined
    const { value, done } = query.next()
    if (done === true) return undefined
    this.#query = query
    if (this.#isDescending) this.#last = value - 1
    else this.#first = value + 1
    return value
  }

  #begin(): Iterator<number> {
    const { index } = this.#chain
    const numbers = index.blocksWithAccounts([this.#account], this.#first, this.#last, this.#isDescending)
    return numbers[Symbol.iterator]()
  }
}

function touches(entry: FlatEntry, account: Uint8Array): boolean {
  const { event } = entry
  if (event.kind === 'selfDestruct') {
    const { address, beneficiary } = event.selfDestruct
    return equalBytes(address, account) || equalBytes(beneficiary, account)
  }
  const from = callFrom(entry)
  return equalBytes(event.start.target, account) || (from !== undefined && equalBytes(from, account))
}

function isStateMissing(error: unknown): boolean {
  return isNodeError(error, 'STATE_PRUNED') || isNodeError(error, 'WORLD_STATE_UNAVAILABLE')
}
