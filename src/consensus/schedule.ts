/**
 * The engine of each block: by number, and proof of stake after the terminal total difficulty.
 * @see EIP-3675
 * @module
 */

import type { ConsensusEngine, ConsensusSchedule, EngineChoice, NextBlockRules } from '../chain/engine.ts'
import type { BlockSchedule } from '../config/blockSchedule.ts'
import type { ChainConfig, RulesPoint } from '../config/chainConfig.ts'
import type { Header } from '../types/block.ts'

export interface EngineScheduleOptions {
  readonly config: ChainConfig
  /** Engines of the blocks before the merge, or of all blocks if there is no merge. */
  readonly engines: BlockSchedule<ConsensusEngine>
  readonly proofOfStake: ConsensusEngine
}

export class EngineSchedule implements ConsensusSchedule {
  readonly #config: ChainConfig
  readonly #engines: BlockSchedule<ConsensusEngine>
  readonly #proofOfStake: ConsensusEngine

  constructor({ config, engines, proofOfStake }: EngineScheduleOptions) {
    this.#config = config
    this.#engines = engines
    this.#proofOfStake = proofOfStake
  }

  claimedBy(header: RulesPoint): ConsensusEngine {
    return this.#config.isProofOfStake(header) ? this.#proofOfStake : this.#engines.at(header.number)
  }

  engineFor(header: RulesPoint, parentTotalDifficulty: bigint): EngineChoice {
    const engine = this.claimedBy(header)
    const { terminalTotalDifficulty: terminal } = this.#config.options
    if (terminal === undefined) return { kind: 'engine', engine }
    const isReached = parentTotalDifficulty >= terminal
    if (isReached === (engine === this.#proofOfStake)) return { kind: 'engine', engine }
    const reason = isReached
      ? `invalid difficulty: ${header.difficulty}, the parent has reached the terminal total difficulty ${terminal}`
      : `invalid difficulty: 0, the parent's total difficulty ${parentTotalDifficulty} is below the terminal ${terminal}`
    return { kind: 'invalid', reason }
  }

  nextBlock(next: Pick<RulesPoint, 'number' | 'timestamp'>, parentTotalDifficulty: bigint): NextBlockRules {
    const { terminalTotalDifficulty: terminal } = this.#config.options
    const isReached = terminal !== undefined && parentTotalDifficulty >= terminal
    // Engines and rules use the difficulty only to distinguish the two sides of the merge.
    const point = { ...next, difficulty: isReached ? 0n : 1n }
    return { engine: this.claimedBy(point), rules: this.#config.rulesAt(point) }
  }

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    return this.claimedBy(header).hash(header, encoded)
  }
}
