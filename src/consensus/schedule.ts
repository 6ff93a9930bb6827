/**
 * Which engine a block belongs to, on a chain that may go from its first engine to proof of stake.
 * @see EIP-3675
 * @module
 */
import type { ChainConfig, RulesPoint } from '../config/chainConfig.ts'
import type { ConsensusEngine, ConsensusSchedule, EngineChoice } from './engine.ts'

export interface EngineScheduleOptions {
  readonly config: ChainConfig
  /** Of the blocks before the merge; of all blocks where there is none. */
  readonly first: ConsensusEngine
  readonly proofOfStake: ConsensusEngine
}

export class EngineSchedule implements ConsensusSchedule {
  readonly #config: ChainConfig
  readonly #first: ConsensusEngine
  readonly #proofOfStake: ConsensusEngine

  constructor({ config, first, proofOfStake }: EngineScheduleOptions) {
    this.#config = config
    this.#first = first
    this.#proofOfStake = proofOfStake
  }

  claimedBy(header: RulesPoint): ConsensusEngine {
    return this.#config.isProofOfStake(header) ? this.#proofOfStake : this.#first
  }

  engineFor(header: RulesPoint, parentTotalDifficulty: bigint): EngineChoice {
    const engine = this.claimedBy(header)
    const { consensus, terminalTotalDifficulty: terminal } = this.#config.options
    if (terminal === undefined || consensus.kind === 'proofOfStake') return { kind: 'engine', engine }
    const isReached = parentTotalDifficulty >= terminal
    if (isReached === (engine === this.#proofOfStake)) return { kind: 'engine', engine }
    const reason = isReached
      ? `invalid difficulty: ${header.difficulty}, the parent has reached the terminal total difficulty ${terminal}`
      : `invalid difficulty: 0, the parent's total difficulty ${parentTotalDifficulty} is below the terminal ${terminal}`
    return { kind: 'invalid', reason }
  }
}
