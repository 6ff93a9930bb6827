/**
 * Fork identifiers: announce the forks of a chain, and tell whether a remote chain can be the same.
 * @see EIP-2124, EIP-6122
 * @module
 */

import { readUint } from '../../base/primitives/bytes.ts'
import { checksumBytes, type ForkGenesis, type ForkPoint, forkSchedule, isPassed } from '../../chain/forkId.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'

export interface ForkId {
  /** 4 bytes: checksum of block 0 and of the forks passed */
  readonly hash: Uint8Array
  /** Block number or timestamp of the next fork; 0: none is known. */
  readonly next: bigint
}

/**
 * - `remoteStale`: the remote does not know a fork that this chain has passed
 * - `incompatible`: another chain, or this node does not know a fork that the remote has passed
 */
export type ForkIdMismatch = 'remoteStale' | 'incompatible'

/** Timestamp of the main network's block 0: greater values of FORK_NEXT are timestamps. */
const TIMESTAMP_THRESHOLD = 1_438_269_973n

/** Announces and checks fork identifiers of one chain. */
export class ForkFilter {
  readonly #starts: readonly bigint[]
  /** Checksum before each transition, and the one after the last. */
  readonly #checksums: readonly number[]
  readonly #passedForks: (point: ForkPoint) => number

  constructor(config: ChainConfig, genesis: ForkGenesis) {
    const { genesisChecksum, transitions } = forkSchedule(config, genesis)
    this.#starts = transitions.map(({ start }) => start)
    this.#checksums = [genesisChecksum, ...transitions.map(({ checksum }) => checksum)]
    this.#passedForks = (point) => {
      const index = transitions.findIndex((transition) => !isPassed(transition, point))
      return index < 0 ? transitions.length : index
    }
  }

  /** @param head the newest block */
  current(head: ForkPoint): ForkId {
    const forkCount = this.#passedForks(head)
    return { hash: checksumBytes(this.#checksums[forkCount] as number), next: this.#starts[forkCount] ?? 0n }
  }

  /**
   * Checks the identifier of a remote against the chain at `head`.
   * @returns undefined when the remote may follow the same chain
   */
  mismatch(head: ForkPoint, { hash, next }: ForkId): ForkIdMismatch | undefined {
    const forkCount = this.#passedForks(head)
    const position = this.#checksums.indexOf(readUint(hash, 0, 4))
    // Same forks: the next one must not be one that this chain has passed without it.
    if (position === forkCount) return isReached(next, head) ? 'incompatible' : undefined
    if (position < 0) return 'incompatible'
    // The remote is behind: it has to know the fork that follows. A remote that is ahead knows only known forks.
    return position < forkCount && this.#starts[position] !== next ? 'remoteStale' : undefined
  }
}

function isReached(next: bigint, { number, timestamp }: ForkPoint): boolean {
  return next > 0n && (number >= next || (next > TIMESTAMP_THRESHOLD && timestamp >= next))
}
