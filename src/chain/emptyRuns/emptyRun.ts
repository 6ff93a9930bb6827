import { bytesToHexUnprefixed, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import type { LruCache } from '../../base/primitives/lruCache.ts'
import type { BlockBody } from '../../types/block.ts'
import { encodeBlock } from '../../types/blockCodec.ts'
import type { BlockRun, ChainHeader, RunPosition } from '../contract.ts'
import { recalledHashes } from '../transition/blockHashHistory.ts'
import { runHeader, stretchHashes, stretchStart } from './runHeaders.ts'
import { STRETCH_BLOCKS, type StoredRun } from './runRecord.ts'

const HASH_BYTES = 32

/** Derived hashes of stretches, by run and number of the stretch. */
export type StretchCache = LruCache<string, Uint8Array>

export interface RunHeader extends ChainHeader {
  /** Length of the block's RLP. */
  readonly size: number
}

/** Consecutive empty blocks that are derived from one record (runRecord.ts). */
export class EmptyRun implements BlockRun {
  readonly id: Uint8Array
  readonly first: number
  readonly last: number
  readonly #run: StoredRun
  readonly #name: string
  readonly #stretches: StretchCache
  /** The stretch that was used last: hashes are mostly read in sequence. */
  #recent = -1
  #recentHashes = EMPTY_BYTES

  constructor(run: StoredRun, stretches: StretchCache) {
    this.id = run.id
    this.first = Number(run.record.header.number)
    this.last = this.first + run.record.count - 1
    this.#run = run
    this.#name = bytesToHexUnprefixed(run.id)
    this.#stretches = stretches
  }

  /** Hash of the stored block before the run. */
  get parentHash(): Uint8Array {
    return this.#run.record.header.parentHash
  }

  get stored(): StoredRun {
    return this.#run
  }

  /** Hash of a block of the run, or of the block before it. */
  hashOf(number: number): Uint8Array {
    const index = number - this.first
    if (index < 0) return this.parentHash
    const at = (index % STRETCH_BLOCKS) * HASH_BYTES
    return this.#stretch(Math.floor(index / STRETCH_BLOCKS)).slice(at, at + HASH_BYTES)
  }

  /** Searches the stretches that hold the blocks `from` to `to`. @returns the number of the block with this hash */
  find(hash: Uint8Array, from: number, to: number): number | undefined {
    const end = Math.floor((Math.min(to, this.last) - this.first) / STRETCH_BLOCKS)
    for (let stretch = Math.floor(Math.max(0, from - this.first) / STRETCH_BLOCKS); stretch <= end; stretch++) {
      const hashes = this.#stretch(stretch)
      for (let at = 0; at < hashes.length; at += HASH_BYTES) {
        if (hashes[at] !== hash[0] || hashes[at + 1] !== hash[1]) continue
        if (!equalBytes(hashes.subarray(at, at + HASH_BYTES), hash)) continue
        return this.first + stretch * STRETCH_BLOCKS + at / HASH_BYTES
      }
    }
    return undefined
  }

  /** The block as it is derived, without later amendments. */
  header(number: number): RunHeader {
    const { record, state } = this.#run
    const index = number - this.first
    const isFirst = index % STRETCH_BLOCKS === 0
    const parentHash = isFirst ? stretchStart(record, index / STRETCH_BLOCKS) : this.hashOf(number - 1)
    const header = runHeader(record, index, parentHash)
    return {
      header,
      hash: this.hashOf(number),
      totalDifficulty: record.totalDifficulty + BigInt(index + 1) * record.header.difficulty,
      stateRoot: state,
      size: encodeBlock({ header, ...this.body }).length,
      dev: record.environment,
      run: this.position(number, false),
    }
  }

  /** Of every block. */
  get body(): BlockBody {
    const { withdrawalsRoot } = this.#run.record.header
    const empty = { transactions: [], ommers: [] }
    return withdrawalsRoot === undefined ? empty : { ...empty, withdrawals: [] }
  }

  position(number: number, isStored: boolean): RunPosition {
    return { run: this, isStored, recall: recalledHashes(this, number) }
  }

  #stretch(stretch: number): Uint8Array {
    if (stretch === this.#recent) return this.#recentHashes
    const known = this.#stretches.get(`${this.#name}:${stretch}`)
    const hashes = known ?? stretchHashes(this.#run.record, stretch)
    if (known === undefined) this.remember(stretch, hashes)
    this.#recent = stretch
    this.#recentHashes = hashes
    return hashes
  }

  /** Keeps derived hashes of a stretch. */
  remember(stretch: number, hashes: Uint8Array): void {
    this.#stretches.set(`${this.#name}:${stretch}`, hashes)
  }
}
