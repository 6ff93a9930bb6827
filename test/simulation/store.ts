import type { KeyValueStore, Mutation } from '../../src/ports/keyValueStore.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import type { Life } from './world.ts'

/** A crash in the course of a commit: nothing of it was stored, or all of it and nobody was told. */
export type CrashPoint = 'before' | 'after'

/** Faults that a real store must not have, to see that they are found. */
export type StoreFault =
  /** A crash in the middle of a commit stores only its first mutations. */
  | 'tornCommit'
  /** A crash undoes the last mutation of the commit that was acknowledged last. */
  | 'lostWrite'

export interface SimulatedStoreOptions {
  readonly fault?: StoreFault | undefined
  /** Decides before each commit whether the computer crashes in it. */
  crashIn(commit: number): CrashPoint | undefined
  /** Ends the life that commits. */
  onCrash(): void
}

const MAX_COMMIT_MS = 4

/** A disk. It outlives the computer that it is in: each life opens it again. */
export class SimulatedStore {
  readonly #disk = new MemoryStore()
  readonly #options: SimulatedStoreOptions
  #commits = 0
  /** Undoes the last mutation of the commit that was acknowledged last. */
  #undo: Mutation | undefined

  constructor(options: SimulatedStoreOptions) {
    this.#options = options
  }

  /** Commits so far, over all lives. */
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
