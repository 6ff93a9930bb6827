import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { LazyModule } from '../base/primitives/lazyModule.ts'
import type { ChainIndex, LogTerms } from '../chain/contract.ts'

const termIndex = new LazyModule(() => import('../chain/termIndex/termIndex.ts'))

/** Searches the blooms of blocks, which come from a remote; the code is loaded by the first search. */
export class LazyIndex implements ChainIndex {
  readonly #reader: KeyValueReader

  constructor(reader: KeyValueReader) {
    this.#reader = reader
  }

  blocksWithLogs(terms: LogTerms, from: number, to: number): Iterable<number> {
    return this.#index().blocksWithLogs(terms, from, to)
  }

  blocksWithAccounts(
    addresses: readonly Uint8Array[],
    from: number,
    to: number,
    isDescending?: boolean,
  ): Iterable<number> {
    return this.#index().blocksWithAccounts(addresses, from, to, isDescending)
  }

  skipDerived(number: number): number {
    return number
  }

  /** @throws {ModuleNotLoaded} */
  #index(): ChainIndex {
    const { TermIndex } = termIndex.get()
    return new TermIndex(this.#reader)
  }
}
