/**
 * Builds and executes blocks. A page loads it with the first block.
 * @module
 */
import { requireState } from '../state/errors.ts'
import { encodeBlockOf } from '../types/blockCodec.ts'
import { ancestorHashes } from './ancestorHashes.ts'
import { type ExecutionModules, processBlock, type ValidationContext } from './blockProcessor.ts'
import type { DevAmendment } from './devAmendment.ts'
import type { ExecutedBlock } from './executedBlock.ts'
import { ParentReads } from './parentReads.ts'
import { encodedBlock, type PreparedBlock, withSenders } from './preparedBlock.ts'
import { pastHashesOf } from './transition/blockHashHistory.ts'
import { buildBlock } from './transition/buildBlock.ts'
import type { BlockPlan } from './transition/buildInput.ts'

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
