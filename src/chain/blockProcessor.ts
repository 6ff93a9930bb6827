/**
 * Validates and executes one block on the state of its parent. Writes nothing: the result includes the state after the
 * block.
 * @module
 */

import type { Residency } from '../base/ports/keyValueStore.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { Evm } from '../evm/evm.ts'
import type { ExecutionScheduler } from '../evm/scheduler.ts'
import { requireState } from '../state/errors.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { WorldState } from '../state/worldState.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { ancestorHashes } from './ancestorHashes.ts'
import type { BlockExtension } from './blockExtension.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { CrossCheck, MismatchReport } from './crossCheck.ts'
import type { ConsensusEngine, ConsensusSchedule, VerifyContext } from './engine.ts'
import { callForEngine } from './engineCall.ts'
import { ParentReads } from './parentReads.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import type { SenderCheckContext, SenderChecks } from './senderCheck.ts'
import { pastHashesOf } from './transition/blockHashHistory.ts'
import type { BlockExecutionInput, BlockOutcome } from './transition/contract.ts'
import { executeBlock } from './transition/executeBlock.ts'
import { rootOf } from './transition/stateSlices.ts'
import { validateBody } from './validation/bodyRules.ts'
import { checkRequiredBlock, validateHeader } from './validation/headerRules.ts'
import { validateOmmers } from './validation/ommerRules.ts'
import { validateResult } from './validation/resultRules.ts'

/** Dependencies of block execution. */
export interface ExecutionModules {
  readonly config: ChainConfig
  readonly states: StateStore
  readonly evm: Evm
  /** Needed over stores that are not resident. */
  readonly residency?: Residency
  /** Lets other work run between slices of execution. */
  readonly scheduler?: ExecutionScheduler
  readonly keepRevertReasons: boolean
  /** 20 bytes: `SealedBlock.results` records the calls to it. */
  readonly watchedAddress?: Uint8Array | undefined
  readonly consensus: ConsensusSchedule
  /** Permissioning; default: none. */
  readonly senderChecks?: SenderChecks | undefined
  /** Further results of each executed block; undefined: none. */
  readonly extension?: BlockExtension | undefined
  /** `--evm-cross-check`: every block is executed a second time by an independent implementation. */
  readonly crossCheck?: SecondExecution | undefined
}

export interface SecondExecution {
  readonly run: CrossCheck
  /** Receives the differences of a block, which is then refused. */
  readonly keepReport: (report: MismatchReport, blockHash: Uint8Array) => void | Promise<void>
}

export type Processed =
  | {
      readonly kind: 'valid'
      readonly state: WorldState
      readonly receipts: readonly StoredReceipt[]
      /** Holds the records that the consensus engine stores with the block. */
      readonly parentReads: ParentReads
    }
  | { readonly kind: 'invalid'; readonly reason: string }

/** The ancestors and settings that a block is validated with. */
export interface ValidationContext {
  readonly parent: StoredHeader
  readonly blocks: BlockStore
  /** In a batch: the staged ancestors, which `blocks` includes. */
  readonly stage?: StagedStore
  readonly verifySeal: boolean
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number
}

export async function processBlock(
  prepared: PreparedBlock,
  context: ValidationContext,
  modules: ExecutionModules,
): Promise<Processed> {
  const { header } = prepared.block
  const { config } = modules
  const rules = config.rulesAt(header)
  const choice = modules.consensus.engineFor(header, context.parent.totalDifficulty)
  if (choice.kind === 'invalid') return choice
  const engine = choice.engine
  const { residency } = modules
  const parentReads = new ParentReads({ ...context, states: modules.states })
  const calling = callForEngine(engine, context, modules)
  if (calling !== undefined) parentReads.callResult = calling instanceof Promise ? await calling : calling
  const checks = { rules, engine, parentReads }
  const reason = await retryMisses(() => validateBefore(prepared, context, modules, checks), residency)
  if (reason !== undefined) return { kind: 'invalid', reason }
  if (modules.senderChecks?.received !== undefined) {
    const refusal = await refusedSender(prepared, context, modules)
    if (refusal !== undefined) return { kind: 'invalid', reason: refusal }
  }

  const { parent, stage } = context
  const state = modules.states.mutable(requireState(parent.stateRoot), stage)
  const input: BlockExecutionInput = {
    config,
    rules,
    block: prepared.block,
    senders: prepared.transactions.senders,
    state,
    evm: modules.evm,
    engine,
    ...(residency === undefined ? {} : { residency }),
    ...(modules.scheduler === undefined ? {} : { scheduler: modules.scheduler }),
    keepRevertReasons: modules.keepRevertReasons,
    dev: parent.dev,
    pastHashes: pastHashesOf(parent),
    blockHash: ancestorHashes(parent, context.blocks, (hash) => context.blocks.header(hash)),
  }
  const outcome = await executeBlock(input)
  const isExecuted = outcome.kind === 'executed'
  const stateRoot = isExecuted ? await rootOf(state, modules) : parent.stateRoot.hash
  const difference = await checkedTwice(input, { hash: prepared.hash, outcome, stateRoot }, context, modules)
  if (difference !== undefined) return { kind: 'invalid', reason: difference }
  if (!isExecuted) return outcome
  const mismatch = validateResult(header, outcome, stateRoot)
  return mismatch === undefined
    ? { kind: 'valid', state, receipts: outcome.receipts, parentReads }
    : { kind: 'invalid', reason: mismatch }
}

/** @returns why a sender may not send its transaction; undefined when all may */
async function refusedSender(
  { block, transactions: { senders } }: PreparedBlock,
  { parent, blocks, stage }: ValidationContext,
  { states, senderChecks }: ExecutionModules,
): Promise<string | undefined> {
  const context: SenderCheckContext = {
    parent,
    state: () => states.mutable(requireState(parent.stateRoot), stage),
    blockHash: ancestorHashes(parent, blocks, (hash) => blocks.header(hash)),
  }
  for (const [i, transaction] of block.transactions.entries()) {
    const rejection = await senderChecks?.received?.(transaction, senders[i] as Uint8Array, context)
    if (rejection !== undefined) return `transaction ${i}: ${rejection.message}`
  }
  return undefined
}

/**
 * Validates everything that does not need execution.
 * @returns the records that the consensus engine stores with the block
 */
export async function validateUnexecuted(
  prepared: PreparedBlock,
  context: ValidationContext,
  modules: ExecutionModules,
): Promise<
  { readonly kind: 'valid'; readonly parentReads: ParentReads } | { readonly kind: 'invalid'; readonly reason: string }
> {
  const { header } = prepared.block
  const choice = modules.consensus.engineFor(header, context.parent.totalDifficulty)
  if (choice.kind === 'invalid') return choice
  const parentReads = new ParentReads({ ...context, states: modules.states })
  const calling = callForEngine(choice.engine, context, modules)
  if (calling !== undefined) parentReads.callResult = calling instanceof Promise ? await calling : calling
  const checks = { rules: modules.config.rulesAt(header), engine: choice.engine, parentReads }
  const reason = await retryMisses(() => validateBefore(prepared, context, modules, checks), modules.residency)
  return reason === undefined ? { kind: 'valid', parentReads } : { kind: 'invalid', reason }
}

/** @returns the differences of the second execution; undefined when it agrees or is disabled */
async function checkedTwice(
  input: BlockExecutionInput,
  {
    hash,
    outcome,
    stateRoot,
  }: { readonly hash: Uint8Array; readonly outcome: BlockOutcome; readonly stateRoot: Uint8Array },
  { parent, stage }: ValidationContext,
  { states, crossCheck }: ExecutionModules,
): Promise<string | undefined> {
  if (crossCheck === undefined) return undefined
  const state = states.mutable(requireState(parent.stateRoot), stage)
  const report = await crossCheck.run({ ...input, state, parentStateRoot: parent.stateRoot.hash, outcome, stateRoot })
  if (report === undefined) return undefined
  await crossCheck.keepReport(report, hash)
  return `the cross-check through @ethereumjs/vm differs: ${report.differences.join('; ')}`
}

interface HeaderChecks {
  readonly rules: ForkRules
  readonly engine: ConsensusEngine
  readonly parentReads: ParentReads
}

/** Validates everything that does not need execution, cheapest checks first. */
function validateBefore(
  prepared: PreparedBlock,
  { parent, blocks, verifySeal, nowMs }: ValidationContext,
  { config, consensus }: ExecutionModules,
  { rules, engine, parentReads }: HeaderChecks,
): string | undefined {
  const { block, hash } = prepared
  const { header } = block
  const contextFor = (of: ConsensusEngine, rulesOf: ForkRules, isOmmer: boolean): VerifyContext => {
    return { ...parentReads.context(of, rulesOf), verifySeal, nowMs, isOmmer }
  }
  const ommersOf = (hash: Uint8Array) => blocks.body(hash)?.ommers
  const verifyContext = (of: ConsensusEngine, rulesOf: ForkRules) => contextFor(of, rulesOf, true)
  return (
    validateHeader(header, { config, rules, parent: parent.header, engine }) ??
    checkRequiredBlock(header.number, hash, config) ??
    (prepared.hasValidBody === true ? undefined : validateBody(prepared, prepared.block.header, rules)) ??
    checkSignatures(prepared) ??
    engine.verifyHeader(header, parent.header, contextFor(engine, rules, false)) ??
    validateOmmers(block, { config, engine, headers: parentReads.headers, verifyContext, consensus, ommersOf })
  )
}

function checkSignatures({ invalidSignature }: PreparedBlock): string | undefined {
  return invalidSignature === undefined ? undefined : `transaction ${invalidSignature}: invalid signature`
}
