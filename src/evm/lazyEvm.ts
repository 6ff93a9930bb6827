/**
 * An EVM that is loaded by its first execution, so that it does not delay the start of the node.
 * @module
 */
import type { Evm, Execution, ExecutionEnvironment, ExecutionStatus, Message, StartOptions } from './evm.ts'
import type { StateDB } from './stateDb.ts'

export class LazyEvm implements Evm {
  readonly name: Evm['name']
  readonly lastResort: Evm | undefined
  readonly #load: () => Promise<Evm>
  #evm: Evm | undefined
  #loading: Promise<Evm> | undefined

  constructor(name: Evm['name'], load: () => Promise<Evm>, lastResort?: Evm) {
    this.name = name
    this.#load = load
    this.lastResort = lastResort
  }

  start(message: Message, environment: ExecutionEnvironment, state: StateDB, options?: StartOptions): Execution {
    if (this.#evm !== undefined) return this.#evm.start(message, environment, state, options)
    let execution: Execution | undefined
    const resume = async (sliceMs: number): Promise<ExecutionStatus> => {
      execution ??= (await this.loaded()).start(message, environment, state, options)
      return execution.resume(sliceMs)
    }
    return { resume, abandon: () => execution?.abandon?.() }
  }

  /** The loaded EVM; after a failed load, the next call retries. */
  async loaded(): Promise<Evm> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined
      throw error
    })
    this.#evm = await this.#loading
    return this.#evm
  }
}
