/**
 * An engine that is loaded by its first execution, so that a node starts without it.
 * @module
 */
import type { Engine, Execution, ExecutionEnvironment, ExecutionStatus, Message, StartOptions } from './engine.ts'
import type { StateDB } from './stateDb.ts'

export class LazyEngine implements Engine {
  readonly name: Engine['name']
  readonly #load: () => Promise<Engine>
  #engine: Engine | undefined
  #loading: Promise<Engine> | undefined

  constructor(name: Engine['name'], load: () => Promise<Engine>) {
    this.name = name
    this.#load = load
  }

  start(message: Message, environment: ExecutionEnvironment, state: StateDB, options?: StartOptions): Execution {
    if (this.#engine !== undefined) return this.#engine.start(message, environment, state, options)
    let execution: Execution | undefined
    const resume = async (sliceMs: number): Promise<ExecutionStatus> => {
      execution ??= (await this.loaded()).start(message, environment, state, options)
      return execution.resume(sliceMs)
    }
    return { resume }
  }

  /** The engine itself; a failed load is tried again by the next caller. */
  async loaded(): Promise<Engine> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined
      throw error
    })
    this.#engine = await this.#loading
    return this.#engine
  }
}
