import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { ModuleNotLoaded } from '../../base/primitives/lazyModule.ts'
import { executionOutOfMemory } from '../errors.ts'
import type { Execution, ExecutionStatus, MessageResult } from '../evm.ts'
import {
  EXIT_CALL_DIRECT,
  EXIT_CREATE,
  EXIT_DONE,
  EXIT_ENTER,
  EXIT_NO_MEMORY,
  EXIT_PAUSED,
  STATE_BUDGET,
} from './assembly/layout.ts'
import { directMessage } from './directMessage.ts'
import { handleExit } from './exits.ts'
import type { InstancePool } from './instancePool.ts'
import { flushStorage, resultOf } from './messageEnd.ts'
import { MessageExecution, type MessageRequest } from './messageExecution.ts'
import { PrecompileCalls, PrecompilePaused } from './precompileCall.ts'
import { type PrecompileSet, precompileSet } from './precompileSet.ts'
import type { SliceBudget } from './sliceBudget.ts'
import { enterTop, openMessage, type RunnableTarget, targetOf } from './topFrame.ts'
import type { MessageTrace } from './tracing/messageTrace.ts'
import { openTrace } from './tracing/openTrace.ts'

/** Resources shared by all messages of one EVM. */
export interface NativeResources {
  readonly pool: InstancePool
  readonly budget: SliceBudget
}

const PAUSED: ExecutionStatus = { kind: 'paused' }
/** No exit is pending. */
const NONE = 0
/** Number of exits between two clock reads; every exit that may take long is followed by one. */
const EXITS_PER_LOOK = 32

/**
 * One message. Its entire progress is in the instance and in `#pending`, so it can continue after a pause or a
 * `StoreMiss`, and can be dropped at any time.
 */
export class NativeExecution implements Execution {
  readonly #request: MessageRequest
  readonly #resources: NativeResources
  readonly #precompiles: PrecompileSet
  readonly #precompileCalls: PrecompileCalls
  /** undefined without a tracer. */
  #trace: MessageTrace | undefined
  #run: MessageExecution | undefined
  #created: Uint8Array | undefined
  /** The exit that the host has not handled yet. */
  #pending = NONE
  #done: ExecutionStatus | undefined
  /** The first slot that the state has not got yet. */
  #nextSlot = 0

  constructor(request: MessageRequest, resources: NativeResources) {
    const { rules, movedPrecompiles, block } = request.environment
    this.#request = request
    this.#resources = resources
    this.#precompiles = precompileSet(rules, movedPrecompiles, block.dev)
    this.#precompileCalls = new PrecompileCalls(resources.budget)
  }

  resume(sliceMs: number): ExecutionStatus | Promise<ExecutionStatus> {
    if (this.#done !== undefined) return this.#done
    try {
      const { pool } = this.#resources
      if (this.#run !== undefined) pool.limit(this.#run.instance, this.#request.options.isBlock === true)
      const run = this.#run ?? this.#start(sliceMs)
      if (!(run instanceof MessageExecution)) return this.#finish(run)
      const status = this.#continue(run, sliceMs)
      if (status.kind !== 'done') pool.account(run.instance)
      return status
    } catch (error) {
      if (this.#run !== undefined) this.#resources.pool.account(this.#run.instance)
      if (this.#trace?.isInHook === true) throw error
      if (error instanceof StoreMiss) return { kind: 'missing', request: error.request }
      if (error instanceof PrecompilePaused) return PAUSED
      if (error instanceof ModuleNotLoaded) return error.load().then(() => this.resume(sliceMs))
      throw error
    }
  }

  abandon(): void {
    const run = this.#run
    if (run === undefined || this.#done !== undefined) return
    this.#run = undefined
    run.marks.revertAll()
    this.#resources.pool.release(run.instance)
  }

  /** @returns the result itself when the module is not needed */
  #start(sliceMs: number): MessageExecution | MessageResult {
    const request = this.#request
    const { hooks } = request.options
    if (hooks !== undefined) this.#trace ??= openTrace(hooks)
    const target = targetOf(request.message, request.environment, request.state, this.#precompiles)
    if (target.kind === 'call' || target.kind === 'create') return this.#enter(target)
    if (target.kind === 'precompile') this.#resources.budget.begin(sliceMs)
    const result = directMessage(request, target, this.#precompileCalls)
    this.#trace?.direct(request, target, result)
    return result
  }

  #enter(target: RunnableTarget): MessageExecution {
    const { pool } = this.#resources
    const instance = pool.acquire()
    const run = new MessageExecution(instance, this.#request, this.#precompiles, this.#precompileCalls)
    try {
      openMessage(run, this.#request.message, target)
    } catch (error) {
      pool.release(instance)
      throw error
    }
    this.#run = run
    pool.limit(instance, this.#request.options.isBlock === true)
    enterTop(run, this.#request.message, target)
    if (target.kind === 'create') this.#created = target.address
    this.#trace?.begin(run, this.#request)
    return run
  }

  #continue(execution: MessageExecution, sliceMs: number): ExecutionStatus {
    const { instance } = execution
    const { budget } = this.#resources
    const trace = this.#trace
    instance.setI64(STATE_BUDGET, budget.begin(sliceMs))
    for (let exits = 1; this.#pending !== EXIT_DONE; exits++) {
      if (this.#pending === NONE) {
        const exit = instance.run()
        if (exit === EXIT_PAUSED) {
          const gas = budget.next()
          if (gas === undefined) return PAUSED
          instance.setI64(STATE_BUDGET, gas)
          continue
        }
        if (exit === EXIT_NO_MEMORY) throw executionOutOfMemory()
        this.#pending = exit
        if (exit === EXIT_DONE) break
      }
      const exit = this.#pending
      if (trace === undefined) handleExit(execution, exit)
      else trace.handleExit(execution, exit)
      this.#pending = NONE
      if (trace?.isFull === true) return PAUSED
      if ((exits % EXITS_PER_LOOK === 0 || mayTakeLong(exit)) && budget.isOver()) return PAUSED
    }
    // The changes of accounts can no longer be undone, so only a message that never begins again may pause here.
    const next = flushStorage(execution, this.#nextSlot, this.#request.options.isBlock === true ? budget : undefined)
    if (next !== undefined) {
      this.#nextSlot = next
      return PAUSED
    }
    const result = resultOf(execution, this.#request, this.#created)
    this.#resources.pool.release(instance)
    return this.#finish(result)
  }

  #finish(result: MessageResult): ExecutionStatus {
    this.#done = { kind: 'done', result }
    return this.#done
  }
}

/** Precompiles may compute for long; recursion executes no JUMPDEST and therefore does not pause in the module. */
function mayTakeLong(exit: number): boolean {
  return exit === EXIT_CALL_DIRECT || exit === EXIT_ENTER || exit === EXIT_CREATE
}
