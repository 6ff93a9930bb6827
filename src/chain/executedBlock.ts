/**
 * A block with its resulting state. Neither is stored or staged.
 * @module
 */

import type { MessageResult } from '../evm/evm.ts'
import { hasState } from '../state/contract.ts'
import { requireState } from '../state/errors.ts'
import { isSameRoot } from '../state/stateContext.ts'
import type { WorldState } from '../state/worldState.ts'
import { encodeBlockOf } from '../types/blockCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { ancestorHashes } from './ancestorHashes.ts'
import { bodyBytes, receiptBytes } from './blockCache.ts'
import { type ExecutionModules, processBlock, type ValidationContext } from './blockProcessor.ts'
import type { StoredHeader } from './blockTables.ts'
import type { DevAmendment } from './devAmendment.ts'
import { isSameEnvironment } from './devEnvironment.ts'
import { ParentReads } from './parentReads.ts'
import { encodedBlock, type PreparedBlock, withSenders } from './preparedBlock.ts'
import { pastHashesOf } from './transition/blockHashHistory.ts'
import { buildBlock } from './transition/buildBlock.ts'
import type { BlockPlan, PlannedTransaction } from './transition/buildInput.ts'

export interface ExecutedBlock {
  readonly prepared: PreparedBlock
  /** The parent as it was stored at execution. */
  readonly parent: StoredHeader
  readonly state: WorldState
  readonly receipts: readonly StoredReceipt[]
  /** Holds the records that the consensus engine stores with the block. */
  readonly parentReads: ParentReads
  /** Only for locally built blocks. */
  readonly built?: {
    readonly included: readonly PlannedTransaction[]
    readonly amendment: DevAmendment
    /** One per transaction. */
    readonly results: readonly MessageResult[]
  }
}

/**
 * Builds a block on top of `context.parent` and executes it.
 * @returns undefined when there are no transactions to include and the block may not be empty
 * @throws {NodeError} BLOCK_NOT_BUILT
 */
export async function executePlan(
  plan: BlockPlan,
  { parent, blocks, stage }: Omit<ValidationContext, 'verifySeal' | 'nowMs'>,
  {
    config,
    states,
    evm,
    consensus,
    residency,
    scheduler,
    keepRevertReasons,
    watchedAddress,
    senderChecks,
  }: ExecutionModules,
): Promise<ExecutedBlock | undefined> {
  const stateRoot = requireState(parent.stateRoot)
  const state = states.mutable(stateRoot, stage)
  const parentReads = new ParentReads({ parent, blocks, stage, states })
  const blockHash = ancestorHashes(parent, blocks, (hash) => blocks.header(hash))
  const selected = senderChecks?.selected
  const senderContext = { parent, state: () => states.mutable(stateRoot, stage), blockHash }
  const built = await buildBlock({
    plan,
    parent,
    config,
    state,
    evm,
    consensus,
    parentReads,
    residency,
    scheduler,
    keepRevertReasons,
    watchedAddress,
    checkSender: selected && ((transaction, sender) => selected(transaction, sender, senderContext)),
    pastHashes: pastHashesOf(parent),
    blockHash,
  })
  if (built === undefined) return undefined
  const { block, included, receipts, encodings, results } = built
  const prepared = withSenders(
    encodedBlock(block, consensus, encodeBlockOf(block, encodings)),
    included.map(({ sender }) => sender),
    included.map(({ hash }) => hash),
  )
  const amendment: DevAmendment = {
    stateRoot: undefined,
    impersonates: included.some(({ isImpersonated }) => isImpersonated === true),
    setsHeader: plan.baseFeePerGas !== undefined || plan.setsGasLimit === true,
    environment: parent.dev,
  }
  return { prepared, parent, state, receipts, parentReads, built: { included, amendment, results } }
}

/** Validates and executes a received block on top of `context.parent`. */
export async function executePrepared(
  prepared: PreparedBlock,
  context: ValidationContext,
  modules: ExecutionModules,
): Promise<ExecutedBlock | { readonly kind: 'invalid'; readonly reason: string }> {
  const processed = await processBlock(prepared, context, modules)
  if (processed.kind === 'invalid') return processed
  const { state, receipts, parentReads } = processed
  return { prepared, parent: context.parent, state, receipts, parentReads }
}

/** Estimated memory in bytes. */
export function executedBytes({ prepared, receipts, state }: ExecutedBlock): number {
  const { block, rlp } = prepared
  return rlp.length + bodyBytes(block, rlp.length) + receiptBytes(receipts) + state.estimatedBytes
}

/** Whether a block that was executed on one of the parents is also valid on the other. */
export function isSameParent(a: StoredHeader, b: StoredHeader): boolean {
  return hasState(a) && hasState(b) && isSameRoot(a.stateRoot, b.stateRoot) && isSameEnvironment(a.dev, b.dev)
}
