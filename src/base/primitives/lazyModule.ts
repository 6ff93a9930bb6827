/**
 * Modules that are loaded by the first message that needs them.
 * @module
 */

/**
 * Code that a message needs is not loaded. Nothing has changed: await `load()` and call again. Like `StoreMiss`, it is caught
 * by the asynchronous driver.
 */
export class ModuleNotLoaded extends Error {
  override readonly name = 'ModuleNotLoaded'
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('code that a message needs is not loaded')
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

  /** @throws {ModuleNotLoaded} */
  get(): T {
    if (this.#module === undefined) throw new ModuleNotLoaded(() => this.load())
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
