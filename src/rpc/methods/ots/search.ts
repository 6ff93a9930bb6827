/**
 * Pages of the transactions of an account.
 * @module
 */
import { loadBlock, minedTransaction, receiptViews } from '../../../api/views.ts'
import { SMALL_TRACE_GAS } from '../../../base/limits/limits.ts'
import { quantity } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { keyToText } from '../../../storage/keyText.ts'
import { retryMisses } from '../../../storage/retryMisses.ts'
import { serializeReceipt } from '../../codecs/receipt.ts'
import { address, json, uint64 } from '../../codecs/scalars.ts'
import { BOOLEAN, listOf, objectSchema, RECEIPT, TRANSACTION_INFO } from '../../codecs/schemas.ts'
import { serializeMinedTransaction } from '../../codecs/transaction.ts'
import {
  type Codec,
  defineMethod,
  type MethodDefinition,
  param,
  type RequestContext,
  result,
  type SubjectOf,
} from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { ACCOUNT } from '../support/parameterTexts.ts'
import { replayErrors } from '../trace/traceBackend.ts'
import { AccountSearch, type SearchBackend, type SearchHit, type SearchRange } from './accountSearch.ts'
import { PAGE_SIZE, pageSize } from './parameters.ts'
import { onSettledChain } from './settledChain.ts'

const ERRORS: readonly string[] = [
  'SEARCH_INCOMPLETE',
  'CHAIN_MOVED',
  'FORK_UNSUPPORTED',
  'STATE_PRUNED',
  'TIMEOUT',
  ...replayErrors,
]

const page: Codec<StreamedResult> = json(
  objectSchema('OtsTransactions', {
    txs: listOf(TRANSACTION_INFO),
    receipts: listOf(RECEIPT),
    firstPage: BOOLEAN,
    lastPage: BOOLEAN,
  }),
)

type Direction = 'before' | 'after'

/** A page, newest transactions first. */
interface Page {
  readonly hits: readonly SearchHit[]
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The first block that has local transactions. */
function firstBlock({ genesis }: ChainReader): number {
  return Number(genesis.header.number) + 1
}

/**
 * @param number the search excludes this block; 0: from the end of the chain
 * @throws {NodeError} FORK_UNSUPPORTED for a block of the forked chain
 */
function rangeOf(chain: ChainReader, direction: Direction, number: number): SearchRange {
  const first = firstBlock(chain)
  const head = Number(chain.head.header.number)
  const isFork = chain.lowestNumber < first - 1
  if (isFork && number !== 0 && (direction === 'before' ? number <= first : number < first - 1)) {
    const message = `blocks up to ${first - 1} belong to the forked chain, whose accounts this node does not index: search there`
    throw new NodeError({ code: 'FORK_UNSUPPORTED' }, message)
  }
  return direction === 'before'
    ? { first, last: number === 0 ? head : Math.min(head, number - 1), isDescending: true }
    : { first: Math.max(first, number + 1), last: head, isDescending: false }
}

/** The gas of all blocks of a page that must be executed: a small page is made in place. */
function subjectOf(direction: Direction): SubjectOf {
  return ({ chain }, [account, block, size], profile) => {
    try {
      const of = address.parse(account, profile)
      const { first, last, isDescending } = rangeOf(chain, direction, Number(uint64.parse(block)))
      let [blocks, work] = [0, 0n]
      for (const number of chain.index.blocksWithAccounts([of], first, last, isDescending)) {
        work += chain.headerByNumber(number)?.header.gasUsed ?? 0n
        if (++blocks > pageSize.parse(size) || work > SMALL_TRACE_GAS) break
      }
      const { hash, stateRoot } = chain.head
      return { key: keyToText(hash) + keyToText(stateRoot.hash), work }
    } catch (error) {
      if (isNodeError(error)) return undefined
      throw error
    }
  }
}

async function find(
  backend: SearchBackend,
  direction: Direction,
  [account, block, size]: readonly [account: Uint8Array, block: bigint, size: number],
  context: RequestContext,
): Promise<Page> {
  const range = rangeOf(backend.chain, direction, Number(block))
  const { hits, hasMore } = await new AccountSearch(backend, account, range, context).page(size)
  const isAtEnd = direction === 'before' ? range.last === Number(backend.chain.head.header.number) : block === 0n
  return direction === 'before'
    ? { hits, isFirst: isAtEnd, isLast: !hasMore }
    : { hits: [...hits].reverse(), isFirst: !hasMore, isLast: isAtEnd }
}

async function writePage(
  { chain, residency }: SearchBackend,
  { hits, isFirst, isLast }: Page,
  out: JsonWriter,
): Promise<void> {
  const writeAll = async (itemsOf: (hit: SearchHit) => readonly (object | undefined)[] | undefined): Promise<void> => {
    let isEmpty = true
    for (const hit of hits) {
      // Output that was sent cannot be repeated, so store misses are handled here.
      const items = await retryMisses(() => itemsOf(hit), residency)
      if (items === undefined || items.includes(undefined)) {
        throw new NodeError({ code: 'CHAIN_MOVED' }, 'a block was removed before it was written')
      }
      for (const item of items) {
        if (!isEmpty) out.ascii(',')
        isEmpty = false
        out.value(item)
      }
      if (out.isFull) await out.drained()
    }
  }
  out.ascii('{"txs":[')
  await writeAll((hit) => transactionsOf(chain, hit))
  out.ascii('],"receipts":[')
  await writeAll((hit) => receiptsOf(chain, hit))
  out.ascii(`],"firstPage":${isFirst},"lastPage":${isLast}}`)
}

function transactionsOf(chain: ChainReader, { block, indexes }: SearchHit): (object | undefined)[] | undefined {
  const loaded = loadBlock(chain, block)
  return (
    loaded &&
    [...indexes].reverse().map((index) => {
      const view = minedTransaction(loaded, index)
      return view && serializeMinedTransaction(view)
    })
  )
}

function receiptsOf(chain: ChainReader, { block, indexes }: SearchHit): (object | undefined)[] | undefined {
  const views = receiptViews(chain, block)
  const timestamp = quantity(block.header.timestamp)
  return (
    views &&
    [...indexes].reverse().map((index) => {
      const view = views[index]
      return view && { ...serializeReceipt(view), timestamp }
    })
  )
}

function searchMethod(direction: Direction, name: string, summary: string, block: string) {
  return defineMethod({
    name,
    group: 'OTS',
    summary,
    params: [param('address', address, ACCOUNT), param('block', uint64, block), param('pageSize', pageSize, PAGE_SIZE)],
    result: result('page', page),
    errors: ERRORS,
    isHeavy: true,
    subjectOf: subjectOf(direction),
    handler: (backend: SearchBackend, params, context) =>
      new StreamedResult(async (out) => {
        const found = await onSettledChain(backend, () => find(backend, direction, params, context))
        await writePage(backend, found, out)
      }),
  })
}

export const searchTransactionsBefore: MethodDefinition<SearchBackend> = searchMethod(
  'before',
  'ots_searchTransactionsBefore',
  'Transactions of an account before a block, newest first: those that it sent or received, and those with calls of or by it.',
  'The search excludes this block. 0: from the head.',
)

export const searchTransactionsAfter: MethodDefinition<SearchBackend> = searchMethod(
  'after',
  'ots_searchTransactionsAfter',
  'The nearest transactions of an account after a block, newest first.',
  'The search excludes this block. 0: from the first block.',
)
