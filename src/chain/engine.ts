/**
 * The contract of a consensus engine: block authors, seals, hashes, rewards and finality. The genesis gives a schedule
 * of engines; each block belongs to one of them.
 *
 * Engines are synchronous and do not store state about the chain in memory: they access headers, the parent's state and
 * their own store. A read of data that are not in memory throws `StoreMiss`; the caller loads them and calls again, so
 * every method may run twice.
 * @module
 */

import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { RulesPoint } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { StateDB } from '../evm/stateDb.ts'
import type { Block, Header } from '../types/block.ts'

/** Headers that an engine may access. */
export interface HeaderSource {
  headerByHash(hash: Uint8Array): Header | undefined
}

/** Data that an engine derives from blocks and stores in the database, such as the signers after a block. */
export interface EngineStoreReader {
  /** @param key usually a block hash */
  get(key: Uint8Array): Uint8Array | undefined
}

/** Writes are committed with the block that is verified or built, and dropped when it is not stored. */
export interface EngineStore extends EngineStoreReader {
  put(key: Uint8Array, value: Uint8Array): void
}

/** The state after the parent, for accounts and contracts that determine validators. */
export type ParentState = Pick<StateDB, 'getAccount' | 'getCode' | 'getStorage'>

/** The chain below a block. */
export interface ParentContext {
  /** The rules that apply to the block. */
  readonly rules: ForkRules
  readonly headers: HeaderSource
  /** Opened by the first call, so that engines without need for state avoid its cost. */
  parentState(): ParentState
  /** Store of this engine only. */
  readonly store: EngineStore
  /** Result of the engine's `parentCall`; undefined without one, and when the state of the parent is not available. */
  readonly parentCallResult?: ParentCallResult | undefined
  /** 20 bytes: the author of a block under construction, if only the seal identifies it. */
  readonly author?: Uint8Array | undefined
}

/** A call of a contract from the zero address, without value. */
export interface ParentCall {
  /** 20 bytes */
  readonly to: Uint8Array
  readonly data: Uint8Array
}

export type ParentCallResult =
  | { readonly kind: 'returned'; readonly output: Uint8Array }
  /** `reason`: "reverted" or the name of the halt */
  | { readonly kind: 'failed'; readonly reason: string }

export interface VerifyContext extends ParentContext {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number
  /** false: the seal is not verified (import with --skip-pow-validation-enabled). */
  readonly verifySeal: boolean
  /** Whether the header is an ommer. */
  readonly isOmmer: boolean
}

/** Rewards of a block, in wei. */
export interface BlockRewards {
  /** The fork's static reward. */
  readonly staticReward: bigint
  /** Additional reward of the author for all included ommers. */
  readonly ommerInclusionReward: bigint
  /** One amount per ommer, for its beneficiary. */
  readonly ommerRewards: readonly bigint[]
}

/** Computes block hashes. */
export interface BlockHasher {
  /**
   * @param encoded the header's RLP if available; saves an encoding when the hash covers the whole header
   * @returns 32 bytes
   */
  hash(header: Header, encoded?: Uint8Array): Uint8Array
}

/**
 * How the canonical branch is chosen.
 *
 * - `difficulty`: the branch with the greater total difficulty; of equal ones the first seen, unless the engine prefers
 *   the other.
 * - `forkChoice`: the consensus client decides; without it the chain only follows imported blocks on top of the head, and
 *   none of peers.
 * - `immediate`: a block is final once it is part of the chain; a competitor of a final block is invalid.
 */
export type Finality = 'difficulty' | 'forkChoice' | 'immediate'

/** Two blocks of equal total difficulty on different branches. */
export interface HeadRivals {
  readonly candidate: RivalBlock
  readonly head: RivalBlock
  readonly headers: HeaderSource
  /** Store of this engine only. */
  readonly store: EngineStoreReader
}

export interface RivalBlock {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
}

/** Number of block periods after which a network that has made no block stands still. */
export const STANDSTILL_PERIODS = 10

export interface ConsensusEngine extends BlockHasher {
  readonly name: 'pow' | 'pos' | 'clique' | 'ibft2' | 'qbft' | 'ibft'
  readonly finality: Finality
  /** A network that makes no block for this time stands still, milliseconds. undefined: blocks are not due at any time. */
  readonly standstillMs?: number | undefined
  /** Whether a block may have the timestamp of its parent; absent: it must be later. */
  readonly allowsEqualTimestamps?: boolean
  /** Whether blocks may list ommers. Block hash and header hash are then identical. */
  readonly allowsOmmers: boolean
  /**
   * Whether the block's timestamp has been reached. A block from the future is not invalid: it may be accepted later.
   * @param nowMs wall clock, milliseconds since 1970
   */
  arrival(header: Header, nowMs: number): 'now' | 'future'
  /** @returns why a chain of this engine cannot start with a genesis block; undefined when it can. Absent: it always can */
  checkGenesis?(genesis: Pick<Header, 'extraData'>): string | undefined
  /** The call on the state after the parent whose result {@link verifyHeader} needs; undefined: none. */
  parentCall?(): ParentCall | undefined
  /**
   * Applies this engine's rules to a header; the common rules are in chain/validation.
   * @returns why the header is invalid; undefined when it is valid
   */
  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined
  /**
   * Applies the rules of {@link verifyHeader} that need nothing but the parent, except for the seal. Absent: there are
   * none.
   */
  verifyFields?(header: Header, parent: Header, rules: ForkRules): string | undefined
  /**
   * Performs long work in advance that {@link verifyHeader} needs to check the header's seal.
   * @param yieldToHost called every few milliseconds
   * @returns undefined when no such work is needed
   */
  prepareSealCheck?(header: Header, rules: ForkRules, yieldToHost: YieldToHost): Promise<void> | undefined
  /** Account that receives the rewards: the beneficiary, or the recovered signer. 20 bytes. */
  author(header: Header): Uint8Array
  /**
   * Sets the header fields that the engine determines: difficulty, mixHash and nonce, and for some engines extraData,
   * beneficiary and timestamp. The seal is left empty. Preparing a header again does not change a timestamp set by the
   * engine.
   * @param draft with all fields known before execution; mixHash is the plan's prevRandao
   */
  prepare(draft: Header, parent: Header, context: ParentContext): Header
  /** Whether a block replaces a head of equal total difficulty; absent: it never does. */
  prefers?(rivals: HeadRivals): boolean
  rewards(block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): BlockRewards
  /** Pays the rewards. Runs after the last transaction and after withdrawals. */
  finalize(state: StateDB, block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): void
}

export type EngineChoice =
  | { readonly kind: 'engine'; readonly engine: ConsensusEngine }
  /** The header's difficulty claims the wrong side of the merge. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Engine and rules of a block that does not exist yet. */
export interface NextBlockRules {
  readonly engine: ConsensusEngine
  readonly rules: ForkRules
}

/** The engine of each block of a chain. */
export interface ConsensusSchedule extends BlockHasher {
  /** The engine that a header claims by number and difficulty, whether or not its parent permits it. */
  claimedBy(header: RulesPoint): ConsensusEngine
  /** @param parentTotalDifficulty of the parent and all its ancestors */
  engineFor(header: RulesPoint, parentTotalDifficulty: bigint): EngineChoice
  /**
   * The engine of the next block on top of a parent.
   * @param parentTotalDifficulty of the parent and all its ancestors
   */
  nextBlock(next: Pick<RulesPoint, 'number' | 'timestamp'>, parentTotalDifficulty: bigint): NextBlockRules
}
