/**
 * All changes that a block makes to the state.
 * @see Yellow Paper 11; EIP-779, EIP-2935, EIP-4788, EIP-4895, EIP-7685
 * @module
 */

import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMisses, retryMissesMaybe } from '../../storage/retryMisses.ts'
import { mergeBloom } from '../../types/bloom.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import { blobGas } from '../fees.ts'
import { credit, type ExecutionContext } from './applyMessage.ts'
import { recordPastHashes } from './blockHashHistory.ts'
import type { BlockExecutionInput, BlockOutcome } from './contract.ts'
import { applyDaoFork } from './daoFork.ts'
import { executeTransaction } from './executeTransaction.ts'
import { budgetIn, executionContext, feesIn } from './executionContext.ts'
import { collectRequests } from './requests.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from './systemAddresses.ts'
import { systemCall } from './systemCalls.ts'

const BLOOM_BYTES = 256
const WEI_PER_GWEI = 1_000_000_000n

/** Executes a block whose header and body have passed validation. Does not compare the results with the header. */
export async function executeBlock(input: BlockExecutionInput): Promise<BlockOutcome> {
  const { block, state } = input
  const context = executionContext(input)
  await openBlock(input, context)

  const receipts: StoredReceipt[] = []
  const logsBloom = new Uint8Array(BLOOM_BYTES)
  const blockUsage = { gas: 0n, blobGas: 0n }
  const fees = feesIn(input, context)
  // A long message yields by itself; many short transactions would not.
  const slicer = input.scheduler?.slicer()
  for (const [i, transaction] of block.transactions.entries()) {
    const sender = input.senders[i]
    if (sender === undefined) return { kind: 'invalid', reason: `transaction ${i}: no sender` }
    const executing = executeTransaction(
      {
        transaction,
        sender,
        budget: budgetIn(input, fees, blockUsage),
        gasUsedBefore: blockUsage.gas,
        keepRevertReason: input.keepRevertReasons,
      },
      state,
      context,
    )
    const outcome = executing instanceof Promise ? await executing : executing
    if (outcome.kind === 'invalid') {
      return { kind: 'invalid', reason: `transaction ${i}: ${outcome.rejection.message}` }
    }
    receipts.push(outcome.receipt)
    mergeBloom(logsBloom, outcome.receipt.logsBloom)
    blockUsage.gas += outcome.gasUsed
    blockUsage.blobGas += blobGas(transaction)
    if (slicer?.isDue) await slicer.yield()
  }

  const closedBlock = await closeBlock(input, receipts, context)
  if (closedBlock.kind === 'invalid') return closedBlock
  return {
    kind: 'executed',
    receipts,
    gasUsed: blockUsage.gas,
    blobGasUsed: blockUsage.blobGas,
    logsBloom,
    requests: closedBlock.requests,
  }
}

export type ClosedBlock =
  /** EIP-7685; undefined before Prague */
  | { readonly kind: 'closed'; readonly requests: readonly Uint8Array[] | undefined }
  /** A system call or a deposit event that makes the block invalid. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Applies the changes after the last transaction. */
export async function closeBlock(
  input: BlockExecutionInput,
  receipts: readonly StoredReceipt[],
  context: ExecutionContext,
): Promise<ClosedBlock> {
  const { config, rules, state } = input
  const paid = payWithdrawals(input)
  if (paid instanceof Promise) await paid
  const requests = rules.eips.has(7685)
    ? await collectRequests(receipts, config.options.depositContractAddress, state, context)
    : undefined
  if (requests?.kind === 'invalid') return requests
  const rewarded = payRewards(input)
  if (rewarded instanceof Promise) await rewarded
  return { kind: 'closed', requests: requests?.requests }
}

/** Applies the changes before the first transaction. */
export async function openBlock(
  { block, rules, state, config, residency, pastHashes }: BlockExecutionInput,
  context: ExecutionContext,
): Promise<void> {
  const { header } = block
  if (config.options.daoForkBlock === header.number) {
    await retryMisses(() => atomically(state, () => applyDaoFork(state)), residency)
  }
  if (rules.eips.has(4788) && header.parentBeaconBlockRoot !== undefined) {
    const called = systemCall(BEACON_ROOTS_ADDRESS, header.parentBeaconBlockRoot, state, context)
    if (called instanceof Promise) await called
  }
  if (rules.eips.has(2935)) {
    const recorded = pastHashes && recordPastHashes(pastHashes, state, residency)
    if (recorded instanceof Promise) await recorded
    const called = systemCall(HISTORY_STORAGE_ADDRESS, header.parentHash, state, context)
    if (called instanceof Promise) await called
  }
}

/** EIP-4895 */
function payWithdrawals({ block, state, rules, residency }: BlockExecutionInput): MaybePromise<void> {
  const withdrawals = block.withdrawals ?? []
  if (withdrawals.length === 0 || !rules.eips.has(4895)) return
  const pay = () =>
    atomically(state, () => {
      for (const { address, amount } of withdrawals) credit(address, amount * WEI_PER_GWEI, state, true)
    })
  return asTransaction(state, rules.eips.has(161), pay, residency)
}

function payRewards({ block, state, rules, engine, residency }: BlockExecutionInput): MaybePromise<void> {
  const pay = () => atomically(state, () => engine.finalize(state, block, rules))
  return asTransaction(state, rules.eips.has(161), pay, residency)
}

function asTransaction(
  state: MutableState,
  clearEmpty: boolean,
  change: () => void,
  residency: BlockExecutionInput['residency'],
): MaybePromise<void> {
  state.beginTransaction()
  const changed = retryMissesMaybe(change, residency)
  const end = (): void => state.endTransaction({ selfDestructs: [], clearEmpty })
  return mapMaybe(changed, () => retryMissesMaybe(end, residency))
}

/** Applies a change completely or not at all, since a read after its first write may throw `StoreMiss`. */
function atomically(state: MutableState, change: () => void): void {
  state.checkpoint()
  try {
    change()
  } catch (error) {
    state.revert()
    throw error
  }
  state.endSection()
}
