/**
 * The state of one request: the blocks and accounts that its fields share, and its limits.
 * @module
 */
import type { BlockNumberOrTagOrHash } from '../api/blockReference.ts'
import { CallSimulation } from '../api/calls/callSimulation.ts'
import type { Caller } from '../api/calls/notes.ts'
import { MAX_GRAPHQL_BYTES_LENGTH, MAX_GRAPHQL_VALUES } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { TimeSlicer } from '../base/ports/yieldToHost.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { StateReader } from '../state/contract.ts'
import { retryMisses, retryMissesMaybe } from '../storage/retryMisses.ts'
import type { GraphqlBackend } from './backend.ts'
import { BatchedResidency } from './batchedResidency.ts'
import { jsonText, slicedJsonText } from './jsonText.ts'
import { ListGate } from './listGate.ts'
import { AccountNode, BlockNode, type NodeReader } from './nodes.ts'
import { OperationCalls } from './operationCalls.ts'

/** Values of an answer that is written at once. */
const EAGER_TEXT_VALUES = 4096

const never = (): Promise<never> => new Promise(() => {})

export class GraphqlRequest implements Caller, NodeReader {
  readonly backend: GraphqlBackend
  readonly signal: AbortSignal
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #controller = new AbortController()
  readonly #residency: Residency | undefined
  readonly #slicer: TimeSlicer | undefined
  readonly #gate: ListGate
  readonly #calls: OperationCalls
  readonly #blocks = new Map<string, BlockNode>()
  readonly #accounts = new Map<string, AccountNode>()
  #executions: Promise<unknown> = Promise.resolve()
  #executionMs = 0
  #values = 0
  #bytesLength = 0
  #failure: unknown
  /** Called once when the request ends before its fields are resolved. */
  onAbort: ((reason: unknown) => void) | undefined

  /** @param residency fetches data that a read misses; undefined when every store read is synchronous */
  constructor(backend: GraphqlBackend, clock: Pick<Clock, 'monotonic'>, residency?: Residency) {
    this.backend = backend
    this.signal = this.#controller.signal
    this.#clock = clock
    this.#residency = residency && new BatchedResidency(residency)
    this.#calls = new OperationCalls(backend.calls)
    this.#slicer = backend.calls.slicer()
    this.#gate = new ListGate(this.#slicer)
  }

  get chain(): ChainReader {
    return this.backend.chain
  }

  get aborted(): boolean {
    return this.signal.aborted
  }

  get reason(): unknown {
    return this.#failure
  }

  /** Ends the request: no further field is resolved. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.#failure = reason
    this.#gate.close()
    this.#controller.abort(reason)
    this.onAbort?.(reason)
  }

  /** Resolves a field: within the limits, and repeated while its data are loaded. */
  field(work: () => MaybePromise<unknown>): MaybePromise<unknown> {
    // The answer is already decided. The executor still awaits this field, but its value is discarded.
    if (this.aborted) return never()
    const value = retryMissesMaybe(work as () => unknown, this.#residency)
    return value instanceof Promise ? value.then((settled) => this.#counted(settled)) : this.#counted(value)
  }

  #counted(value: unknown): unknown {
    this.#values++
    if (value instanceof Uint8Array) this.#bytesLength += 2 * value.length
    else if (Array.isArray(value)) this.#values += value.length
    if (this.#values <= MAX_GRAPHQL_VALUES && this.#bytesLength <= MAX_GRAPHQL_BYTES_LENGTH) {
      return Array.isArray(value) ? this.#gate.pace(value) : value
    }
    const limit =
      this.#values > MAX_GRAPHQL_VALUES
        ? `${MAX_GRAPHQL_VALUES} values`
        : `${MAX_GRAPHQL_BYTES_LENGTH} characters of bytes`
    this.abort(new NodeError({ code: 'RANGE_TOO_LARGE' }, `the answer has more than ${limit}`))
    return never()
  }

  /** JSON text of the answer. */
  text(answer: object): MaybePromise<string> {
    return this.#slicer === undefined || this.#values < EAGER_TEXT_VALUES
      ? jsonText(answer)
      : slicedJsonText(answer, this.#slicer)
  }

  /** Runs work one at a time, because executions and log searches need much memory. It must only read. */
  inTurn<T>(work: () => MaybePromise<T>): Promise<T> {
    const result = this.#executions.then(() => retryMisses(work, this.#residency))
    this.#executions = result.catch(() => {})
    return result
  }

  /**
   * Runs calls on the state of a block. All executions of the request share one time limit, which does not count their waits for
   * data that are far away.
   */
  execution<T>(block: BlockNumberOrTagOrHash, work: (run: CallSimulation) => MaybePromise<T>): Promise<T> {
    return this.inTurn(async () => {
      const timeoutMs = this.backend.options.callTimeoutMs - this.#executionMs
      if (timeoutMs <= 0) throw new NodeError({ code: 'EXECUTION_TIMEOUT' }, 'the calls exceed their time limit')
      const start = this.#workedMs
      try {
        const options = { block, stateOverrides: undefined, blockOverrides: undefined, timeoutMs }
        return await work(new CallSimulation({ ...this.backend, calls: this.#calls }, options, this))
      } finally {
        this.#executionMs += this.#workedMs - start
      }
    })
  }

  /** Monotonic time less the waits of executions, milliseconds. */
  get #workedMs(): number {
    return this.#clock.monotonic() - this.#calls.waitedMs
  }

  /** The node of a block, shared by the fields of the request. */
  block(header: ChainHeader): BlockNode {
    const key = bytesToHex(header.hash)
    let node = this.#blocks.get(key)
    if (node === undefined) {
      node = new BlockNode(this, header)
      this.#blocks.set(key, node)
    }
    return node
  }

  /** The node of an account in the state after a block. */
  account(address: Uint8Array, block: BlockNode): AccountNode {
    const key = bytesToHex(block.header.hash) + bytesToHex(address)
    let node = this.#accounts.get(key)
    if (node === undefined) {
      node = new AccountNode(address, () => block.state)
      this.#accounts.set(key, node)
    }
    return node
  }

  /** @throws {NodeError} CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE */
  state(header: ChainHeader): StateReader {
    const state = this.backend.states.at(header)
    if (state !== undefined) return state
    const reason = `the state of block ${header.header.number} is not available`
    throw new NodeError({ code: 'CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE' }, reason)
  }
}
