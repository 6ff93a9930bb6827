/**
 * Executes the transactions of blocks again, on the state after the parent.
 *
 * The changes of each transaction are cached for a while, so that tracing one transaction does not execute its
 * predecessors again.
 * @module
 */

import { TRACED_CHANGES_BYTES } from '../base/limits/limits.ts'
import type { SenderRecovery } from '../base/ports/host.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { storedAncestorHashes } from '../chain/ancestorHashes.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { encodedBlock, prepareBlocks } from '../chain/preparedBlock.ts'
import type { ExecutionContext } from '../chain/transition/applyMessage.ts'
import type { BlockExecutionInput } from '../chain/transition/contract.ts'
import { openBlock } from '../chain/transition/executeBlock.ts'
import { applyTransaction } from '../chain/transition/executeTransaction.ts'
import { budgetIn, executionContext, feesIn } from '../chain/transition/executionContext.ts'
import { type ExecutionDeps, executionInput } from '../chain/transition/executionInput.ts'
import type { BlockBudget } from '../chain/transition/validateTransaction.ts'
import { executionAborted } from '../evm/errors.ts'
import { hasState, type StateSource } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Block } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { BlockTracePlan, BlockTracing, ReplayedState, TraceLimits, Tracer } from './contract.ts'
import { differenceFrom } from './receiptCheck.ts'
import { applyChange, type StateChange } from './stateChange.ts'
import { StateRecorder } from './stateRecorder.ts'
import { StepSummaries } from './steps/summaries.ts'
import { type BlockStep, TracedChanges } from './tracedChanges.ts'
import { beginTrace, endTrace } from './traceMessage.ts'

export interface ReplayModules extends ExecutionDeps {
  readonly chain: ChainReader
  readonly states: Pick<StateSource, 'mutable'>
  readonly senders: SenderRecovery
  /** Memory of the state changes of traced blocks. Default: TRACED_CHANGES_BYTES. */
  readonly changesBytes?: number
}

/** A block with its derived data. */
interface Target {
  readonly parent: ChainHeader
  readonly block: Block
  readonly hash: Uint8Array
  readonly senders: readonly Uint8Array[]
  readonly transactionHashes: readonly Uint8Array[]
  /** Of a block of another chain, whose rules may differ; undefined: results are not compared */
  readonly receipts?: readonly StoredReceipt[] | undefined
}

/** Treats each transaction as the first of its block, so that the remaining gas never rejects it. */
const NOTHING_USED = { gas: 0n, blobGas: 0n }

export class Replay implements BlockTracing {
  readonly #modules: ReplayModules
  readonly #changes: TracedChanges
  readonly summaries: StepSummaries = new StepSummaries()

  constructor(modules: ReplayModules) {
    this.#modules = modules
    this.#changes = new TracedChanges(modules.changesBytes ?? TRACED_CHANGES_BYTES)
  }

  canTrace(header: ChainHeader): boolean {
    const { chain, states } = this.#modules
    const parent = chain.parentOf(header)
    return parent !== undefined && states.mutable(parent) !== undefined
  }

  async block(header: ChainHeader, plan: BlockTracePlan, limits: TraceLimits): Promise<void> {
    await this.#runStored(header, plan, limits)
  }

  async blockOn(parent: ChainHeader, block: Block, plan: BlockTracePlan, limits: TraceLimits): Promise<void> {
    const [prepared] = await prepareBlocks([encodedBlock(block, this.#modules.consensus)], this.#modules.senders)
    if (prepared === undefined || prepared.invalidSignature !== undefined) {
      throw failed(block, `transaction ${prepared?.invalidSignature} has no valid signature`)
    }
    const { hash, transactions } = prepared
    const target = { parent, block, hash, senders: transactions.senders, transactionHashes: transactions.hashes }
    // The block was never validated, so its hash does not determine its transactions: the cache must not be used.
    await this.#run(target, plan, limits, [])
  }

  async stateAfter(header: ChainHeader, count: number, limits: TraceLimits): Promise<ReplayedState> {
    return this.#runStored(header, { tracerFor: () => undefined, end: count }, limits)
  }

  async #runStored(header: ChainHeader, plan: BlockTracePlan, limits: TraceLimits): Promise<ReplayedState> {
    const target = await this.#stored(header)
    const { hash, parent } = target
    // The key of the cache names the state before the block only.
    if (parent.dev !== undefined) return this.#run(target, plan, limits, [])
    const steps = [...this.#changes.of(hash, parent.stateRoot.hash)]
    try {
      return await this.#run(target, plan, limits, steps)
    } finally {
      this.#changes.keep(hash, parent.stateRoot.hash, steps)
    }
  }

  #stored(stored: ChainHeader): Promise<Target> {
    const { chain, control } = this.#modules
    return retryMisses(() => {
      const { header, hash } = stored
      const parent = chain.parentOf(stored)
      const body = chain.body(hash)
      const senders = chain.senders(hash)
      const transactionHashes = chain.transactionHashes(hash)
      if (parent === undefined || body === undefined || senders === undefined || transactionHashes === undefined) {
        throw failed(stored, 'its body or parent is not stored')
      }
      const isRemote = hasState(stored) && stored.stateRoot.base !== undefined
      const receipts = isRemote ? chain.receipts(hash) : undefined
      return { parent, block: { header, ...body }, hash, senders, transactionHashes, receipts }
    }, control.residency)
  }

  /** @param steps cached steps; steps that are executed are appended */
  async #run(target: Target, plan: BlockTracePlan, limits: TraceLimits, steps: BlockStep[]): Promise<ReplayedState> {
    const { chain, states } = this.#modules
    const { parent, block } = target
    const state = states.mutable(parent)
    if (state === undefined) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'parent state unavailable')
    const blockHash = storedAncestorHashes(chain, parent)
    const input = executionInput(this.#modules, { block, senders: target.senders, state, blockHash, dev: parent.dev })
    const base = executionContext(input)
    const { signal, timeoutMs } = limits
    const context = { ...base, control: { ...base.control, isBlock: false, signal, deadlineMs: timeoutMs } }
    const run = new BlockReplay(target, input, context, steps)
    await run.all(plan)
    return { state, changes: run.applied }
  }
}

class BlockReplay {
  /** Cached and executed steps; never shorter than what has run. */
  readonly #steps: BlockStep[]
  readonly #target: Target
  readonly #input: BlockExecutionInput
  readonly #context: ExecutionContext
  readonly #budget: BlockBudget
  #done = 0
  #logs = 0

  constructor(target: Target, input: BlockExecutionInput, context: ExecutionContext, steps: BlockStep[]) {
    this.#target = target
    this.#input = input
    this.#context = context
    this.#budget = budgetIn(input, feesIn(input, context), NOTHING_USED)
    this.#steps = steps
  }

  get applied(): readonly StateChange[] {
    return this.#steps.slice(0, this.#done).map(({ change }) => change)
  }

  async all(plan: BlockTracePlan): Promise<void> {
    const { transactions } = this.#target.block
    const end = Math.min(plan.end ?? transactions.length, transactions.length)
    const slicer = this.#input.scheduler?.slicer()
    if (!(await this.#applyKnown(undefined))) await this.#open()
    for (let index = 0; index < end; index++) {
      const { signal } = this.#context.control
      if (signal?.aborted === true) throw executionAborted(signal.reason)
      const tracer = plan.tracerFor(index)
      if (!(await this.#applyKnown(tracer))) await this.#transaction(index, tracer)
      if (tracer !== undefined) await plan.traced?.(index)
      if (slicer?.isDue) await slicer.yield()
    }
  }

  /** @returns false when the next step is not cached, or must be traced */
  async #applyKnown(tracer: Tracer | undefined): Promise<boolean> {
    const step = this.#steps[this.#done]
    if (step === undefined || tracer !== undefined) return false
    const { state } = this.#input
    await retryMisses(() => applyChange(state, step.change), this.#context.control.residency)
    this.#finish(step)
    return true
  }

  async #open(): Promise<void> {
    const recorder = new StateRecorder(this.#input.state)
    await openBlock({ ...this.#input, state: recorder }, this.#context)
    this.#finish({ change: recorder.change(), logs: 0 })
  }

  async #transaction(index: number, tracer: Tracer | undefined): Promise<void> {
    const { block, senders, transactionHashes, receipts, hash: blockHash } = this.#target
    const transaction = block.transactions[index]
    const sender = senders[index]
    if (transaction === undefined || sender === undefined) throw failed(block, 'a sender is not stored')
    const { rules, block: environment } = this.#context
    const hash = transactionHashes[index]
    const place = { rules, block: environment, hash, position: { blockHash, index, logsBefore: this.#logs } }
    const recorder = new StateRecorder(this.#input.state)
    const context = withOwnWaits(this.#context)
    const outcome = await applyTransaction(
      { transaction, sender, mayHaveCode: true, budget: this.#budget },
      recorder,
      context,
      tracer && ((message) => beginTrace(tracer, recorder, message, place)),
    )
    if (outcome.kind === 'invalid') throw failed(block, outcome.rejection.message)
    const receipt = receipts?.[index]
    const difference = receipt && differenceFrom(receipt, outcome)
    if (difference !== undefined)
      throw failed(
        block,
        `transaction ${hash && bytesToHex(hash)} ${difference}; --dev-fork selects the rules of its chain`,
      )
    if (tracer !== undefined) await endTrace(tracer, recorder, outcome, context.control.residency)
    this.#finish({ change: recorder.change(), logs: outcome.result.logs.length })
  }

  #finish(step: BlockStep): void {
    this.#steps[this.#done++] = step
    this.#logs += step.logs
  }
}

/** As the time limit, the bound of the waits for data is that of one transaction. */
function withOwnWaits(context: ExecutionContext): ExecutionContext {
  const { scheduler, residency } = context.control
  const loads = scheduler && residency?.forCall?.(scheduler.clock)
  return loads === undefined ? context : { ...context, control: { ...context.control, residency: loads } }
}

function failed({ header }: Pick<Block, 'header'>, reason: string): NodeError {
  return new NodeError({ code: 'REPLAY_FAILED' }, `block ${header.number} cannot be run again: ${reason}`)
}
