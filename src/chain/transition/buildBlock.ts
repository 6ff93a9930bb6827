/**
 * Builds a new block: tries transactions in turn and derives the header from the results of those that were included.
 * @see Yellow Paper 12
 * @module
 */

import { NodeError } from '../../base/primitives/errors.ts'
import type { MessageResult } from '../../evm/evm.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { orderedTrieRoot } from '../../trie/orderedRoot.ts'
import { type Block, draftOf, type Header } from '../../types/block.ts'
import { EMPTY_BLOOM, mergeBloom } from '../../types/bloom.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import { encodeTransaction } from '../../types/transactionCodec.ts'
import { blobGas } from '../fees.ts'
import { MAX_RLP_BLOCK_BYTES } from '../validation/bodyRules.ts'
import { receiptsRoot, requestsHash } from '../validation/resultRules.ts'
import type { ExecutionContext } from './applyMessage.ts'
import type { BuildInput, PlannedTransaction } from './buildInput.ts'
import { BuildTime } from './buildTime.ts'
import type { BlockExecutionInput } from './contract.ts'
import { type BlockDraft, draftBlock } from './draftBlock.ts'
import { closeBlock, openBlock } from './executeBlock.ts'
import { budgetIn, executionContext, feesIn } from './executionContext.ts'
import { reject } from './rejection.ts'
import { rootOf } from './stateSlices.ts'
import { tryTransaction } from './tryTransaction.ts'

export interface BuiltBlock {
  readonly block: Block
  /** One per transaction, in order. */
  readonly included: readonly PlannedTransaction[]
  readonly receipts: readonly StoredReceipt[]
  /** Canonical encodings of the transactions. */
  readonly encodings: readonly Uint8Array[]
  /** One per transaction. */
  readonly results: readonly MessageResult[]
}

/** Upper bound of the RLP size of the header and of the lists around the transactions. */
const BLOCK_OVERHEAD_BYTES = 2048
const BLOOM_BYTES = 256
/** Upper bound of the RLP size of one withdrawal. */
const WITHDRAWAL_BYTES = 64

/**
 * @returns undefined when no transaction was included and the block may not be empty
 * @throws {NodeError} BLOCK_NOT_BUILT when a system call fails or the plan does not fit the fork
 */
export async function buildBlock(input: BuildInput): Promise<BuiltBlock | undefined> {
  const { state, residency } = input
  const drafting = retryMissesMaybe(() => draftBlock(input), residency)
  const drafted = drafting instanceof Promise ? await drafting : drafting
  const draft = drafted.block
  const execution = executionInput(input, drafted)
  const base = executionContext(execution)
  const context = { ...base, control: { ...base.control, isOptional: true } }
  await openBlock(execution, context)
  const filled = await fillBlock(input, execution, context)
  if (filled.included.length === 0 && !input.plan.isEmptyAllowed) return undefined
  const closedBlock = await closeBlock(execution, filled.receipts, context)
  if (closedBlock.kind === 'invalid') throw new NodeError({ code: 'BLOCK_NOT_BUILT' }, closedBlock.reason)
  const transactions = filled.included.map(({ transaction }) => transaction)
  const rooting = rootOf(state, input)
  const stateRoot = rooting instanceof Promise ? await rooting : rooting
  const header = completeHeader(draft.header, filled, stateRoot, closedBlock.requests)
  const { included, receipts, encodings, results } = filled
  return { block: completeBlock(draft, header, transactions), included, receipts, encodings, results }
}

function completeHeader(
  draft: Header,
  filled: FilledBlock,
  stateRoot: Uint8Array,
  requests: readonly Uint8Array[] | undefined,
): Header {
  const header = draftOf(draft)
  header.stateRoot = stateRoot
  header.transactionsRoot = orderedTrieRoot(filled.encodings)
  header.receiptsRoot = receiptsRoot(filled.receipts)
  header.logsBloom = filled.logsBloom
  header.gasUsed = filled.gasUsed
  if (draft.blobGasUsed !== undefined) header.blobGasUsed = filled.blobGasUsed
  if (requests !== undefined) header.requestsHash = requestsHash(requests)
  return header
}

function completeBlock({ ommers, withdrawals }: Block, header: Header, transactions: readonly Transaction[]): Block {
  return withdrawals === undefined ? { header, transactions, ommers } : { header, transactions, ommers, withdrawals }
}

function executionInput(
  {
    plan: { author },
    parent,
    config,
    state,
    evm,
    residency,
    scheduler,
    keepRevertReasons,
    watchedAddress,
    pastHashes,
    blockHash,
  }: BuildInput,
  { block, engine, rules }: BlockDraft,
): BlockExecutionInput {
  return {
    config,
    rules,
    block,
    senders: [],
    state,
    evm,
    engine,
    author,
    residency,
    scheduler,
    keepRevertReasons,
    watchedAddress,
    pastHashes,
    blockHash,
    dev: parent.dev,
  }
}

interface FilledBlock {
  readonly included: PlannedTransaction[]
  readonly encodings: Uint8Array[]
  readonly receipts: StoredReceipt[]
  readonly results: MessageResult[]
  logsBloom: Uint8Array
  gasUsed: bigint
  blobGasUsed: bigint
}

async function fillBlock(
  { plan, state, keepRevertReasons, checkSender }: BuildInput,
  execution: BlockExecutionInput,
  context: ExecutionContext,
): Promise<FilledBlock> {
  const { transactions } = plan
  const filled: FilledBlock = {
    included: [],
    encodings: [],
    receipts: [],
    results: [],
    logsBloom: EMPTY_BLOOM,
    gasUsed: 0n,
    blobGasUsed: 0n,
  }
  const fees = feesIn(execution, context)
  const slicer = execution.scheduler?.slicer()
  const time = new BuildTime(plan, execution.scheduler?.clock)
  const maxBytes = execution.rules.eips.has(7934) ? MAX_RLP_BLOCK_BYTES : Number.POSITIVE_INFINITY
  let bytes = BLOCK_OVERHEAD_BYTES + (execution.block.withdrawals ?? []).length * WITHDRAWAL_BYTES
  for (;;) {
    if (time.isOver()) return filled
    const budget = budgetIn(execution, fees, { gas: filled.gasUsed, blobGas: filled.blobGasUsed })
    const planned = transactions.next(budget)
    if (planned === undefined) return filled
    if (!time.isRunning) {
      // The time to load the EVM is not the transactions'.
      await execution.evm.loaded?.()
      time.start()
    }
    const { transaction, sender, isImpersonated: mayHaveCode = false } = planned
    const encoding = planned.encoding ?? encodeTransaction(transaction)
    if (bytes + encoding.length > maxBytes) {
      transactions.refused(planned, reject('BLOCK_SIZE_LIMIT_REACHED', `block size limit reached: ${maxBytes} bytes`))
      continue
    }
    if (checkSender !== undefined) {
      const rejection = await checkSender(transaction, sender)
      if (rejection !== undefined) {
        transactions.refused(planned, rejection)
        continue
      }
    }
    const input = { transaction, sender, mayHaveCode, budget, gasUsedBefore: filled.gasUsed }
    const executing = tryTransaction(
      { ...input, keepRevertReason: keepRevertReasons },
      state,
      time.within(context),
      time,
    )
    const outcome = executing instanceof Promise ? await executing : executing
    if (outcome.kind === 'invalid') {
      transactions.refused(planned, outcome.rejection)
      continue
    }
    bytes += encoding.length
    filled.included.push(planned)
    filled.encodings.push(encoding)
    filled.receipts.push(outcome.receipt)
    filled.results.push(outcome.result)
    if (outcome.receipt.logs.length > 0) {
      if (filled.logsBloom === EMPTY_BLOOM) filled.logsBloom = new Uint8Array(BLOOM_BYTES)
      mergeBloom(filled.logsBloom, outcome.receipt.logsBloom)
    }
    filled.gasUsed += outcome.gasUsed
    filled.blobGasUsed += blobGas(transaction)
    transactions.included(planned, outcome.receipt)
    if (slicer?.isDue) await slicer.yield()
  }
}
