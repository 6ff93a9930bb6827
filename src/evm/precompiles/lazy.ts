/**
 * Modules that are loaded by the first message that needs them.
 * @module
 */

/**
 * The library of a precompile is not loaded. Nothing has changed: await `load()` and call `run` again. Like
 * `StoreMiss`, it is caught by the asynchronous driver.
 */
export class PrecompileNotLoaded extends Error {
  override readonly name = 'PrecompileNotLoaded'
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('the library of a precompile is not loaded')
    this.load = load
  }
}

export class LazyModule<T> {
  readonly #import: () => Promise<T>
  #loading: Promise<void> | undefined
  #module: T | undefined

  constructor(importModule: () => Promise<T>) {
    this.#import = importModule
  }

  /** @throws {PrecompileNotLoaded} */
  get(): T {
    if (this.#module === undefined) throw new PrecompileNotLoaded(() => this.load())
    return this.#module
  }

  /** After a failed load, the next call retries. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then(
      (module) => {
        this.#module = module
      },
      (error: unknown) => {
        this.#loading = undefined
        throw error
      },
    )
    return this.#loading
  }
}
