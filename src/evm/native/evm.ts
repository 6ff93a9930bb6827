/**
 * The native EVM: an interpreter in a WebAssembly module, and the host's part of it in this folder.
 * @module
 */

import { MAX_EXECUTION_MEMORY_BYTES } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Evm, Execution, ExecutionEnvironment, Message, StartOptions } from '../evm.ts'
import type { StateDB } from '../stateDb.ts'
import { NativeExecution, type NativeResources } from './execution.ts'
import { InstancePool } from './instancePool.ts'
import { SliceBudget } from './sliceBudget.ts'

export class NativeEvm implements Evm {
  readonly name = 'native'
  readonly #resources: NativeResources

  /**
   * @param clock measures time slices
   * @param random seeds the hash tables
   * @param memoryBytes of all calls together
   */
  constructor(
    clock: Clock,
    random: Random,
    module: WebAssembly.Module,
    memoryBytes: number = MAX_EXECUTION_MEMORY_BYTES,
  ) {
    this.#resources = { pool: new InstancePool(module, random, memoryBytes), budget: new SliceBudget(clock) }
  }

  /** Memory of all messages that run or pause, bytes. */
  get memoryInUse(): number {
    return this.#resources.pool.bytesInUse
  }

  start(message: Message, environment: ExecutionEnvironment, state: StateDB, options: StartOptions = {}): Execution {
    return new NativeExecution({ message, environment, state, options }, this.#resources)
  }
}
