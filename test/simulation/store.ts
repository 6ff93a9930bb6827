import type { KeyValueStore, Mutation } from '../../src/base/ports/keyValueStore.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import type { Life } from './world.ts'

/** A crash during a commit: either nothing was stored, or everything was stored but never acknowledged. */
export type CrashPoint = 'before' | 'after'

/** Faults that a real store must not have, to verify that they are detected. */
export type StoreFault =
  /** A crash during a commit stores only its first mutations. */
  | 'tornCommit'
  /** A crash reverts the last mutation of the last acknowledged commit. */
  | 'lostWrite'

export interface SimulatedStoreOptions {
  readonly fault?: StoreFault | undefined
  /** Decides before each commit whether the computer crashes during it. */
  crashIn(commit: number): CrashPoint | undefined
  /** Ends the committing life. */
  onCrash(): void
}

const MAX_COMMIT_MS = 4

/** A disk, which outlives its computer: each life opens it again. */
export class SimulatedStore {
  readonly #disk = new MemoryStore()
  readonly #options: SimulatedStoreOptions
  #commits = 0
  /** Reverts the last mutation of the last acknowledged commit. */
  #undo: Mutation | undefined

  constructor(options: SimulatedStoreOptions) {
    this.#options = options
  }

  /** Number of commits in all lives. */
  get commits(): number {
    return this.#commits
  }

  open(life: Life): KeyValueStore {
    const disk = this.#disk
    return {
      get: (key) => disk.get(key),
      getMany: (keys) => disk.getMany(keys),
      range: (options) => disk.range(options),
      commit: (batch) => this.#commit(batch, life),
      close: () => {},
    }
  }

  #commit(batch: readonly Mutation[], life: Life): Promise<void> {
    const { fault, crashIn, onCrash } = this.#options
    const number = ++this.#commits
    const point = crashIn(number)
    return new Promise((resolve) => {
      life.schedule(life.world.random.between(0, MAX_COMMIT_MS), `commit ${number} of ${batch.length}`, () => {
        if (point === undefined) {
          const last = batch.at(-1)
          this.#undo = last && { key: last.key, value: this.#disk.get(last.key) }
          this.#disk.commit(batch)
          resolve()
          return
        }
        life.world.note(`crash ${point} commit ${number};`)
        if (fault === 'tornCommit') this.#disk.commit(batch.slice(0, life.world.random.below(batch.length + 1)))
        else if (point === 'after') this.#disk.commit(batch)
        else if (fault === 'lostWrite' && this.#undo !== undefined) this.#disk.commit([this.#undo])
        onCrash()
      })
    })
  }
}
