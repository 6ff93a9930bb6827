/**
 * The contract of a consensus engine: who may write a block, how its seal is checked, what it is paid.
 * The chain's genesis picks the engine; a merge hands over from one to the next.
 * @module
 */
import type { RulesPoint } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { StateDB } from '../evm/stateDb.ts'
import type { Block, Header } from '../types/block.ts'

/** Headers that an engine may look back at. */
export interface HeaderSource {
  headerByHash(hash: Uint8Array): Header | undefined
}

export interface VerifyOptions {
  /** The rules that `header` follows. */
  readonly rules: ForkRules
  readonly headers: HeaderSource
  /** false leaves out the seal (import with --skip-pow-validation-enabled). */
  readonly verifySeal: boolean
  /** The header stands as an ommer: same rules, other place. */
  readonly isOmmer: boolean
}

/** What a block pays, in wei. */
export interface BlockRewards {
  /** The fork's static reward. */
  readonly staticReward: bigint
  /** Extra pay to the author for the ommers it includes, all together. */
  readonly ommerInclusionReward: bigint
  /** One amount an ommer, to its beneficiary. */
  readonly ommerRewards: readonly bigint[]
}

export interface ConsensusEngine {
  readonly kind: 'pow' | 'pos' | 'clique' | 'ibft2' | 'qbft'
  /**
   * The rules of this engine for one header; those common to all are chain/validation's.
   * @returns why the header is invalid; undefined when it is valid
   */
  verifyHeader(header: Header, parent: Header, options: VerifyOptions): string | undefined
  /** Account that is paid for the block: the beneficiary, or the recovered signer. 20 bytes. */
  author(header: Header): Uint8Array
  /** Consensus fields of a new header on top of `parent`. */
  prepare(parent: Header, timestamp: bigint, rules: ForkRules): Pick<Header, 'difficulty' | 'mixHash' | 'nonce'>
  rewards(block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): BlockRewards
  /** Pays the rewards. Runs after the last transaction and after withdrawals. */
  finalize(state: StateDB, block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): void
}

export type EngineChoice =
  | { readonly kind: 'engine'; readonly engine: ConsensusEngine }
  /** The header's difficulty claims the side of the merge on which the block is not. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Which engine's rules each block of a chain follows. */
export interface ConsensusSchedule {
  /** The engine that a header claims by its difficulty, whether or not its parent permits that. */
  claimedBy(header: RulesPoint): ConsensusEngine
  /** @param parentTotalDifficulty of the parent and all its ancestors */
  engineFor(header: RulesPoint, parentTotalDifficulty: bigint): EngineChoice
}
