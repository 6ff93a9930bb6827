/**
 * The contract of a consensus engine: who may write a block, how it is sealed and hashed, what it pays, when it is final.
 * The genesis gives a schedule of engines; each block belongs to one of them.
 *
 * Engines are synchronous and keep no memory of the chain: they see headers, the state of the parent and their own store.
 * A read of what is not in memory throws `StoreMiss`; the caller loads it and calls again, so every method may run twice.
 * @module
 */
import type { RulesPoint } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { StateDB } from '../evm/stateDb.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import type { Block, Header } from '../types/block.ts'

/** Headers that an engine may look back at. */
export interface HeaderSource {
  headerByHash(hash: Uint8Array): Header | undefined
}

/** Data that an engine derives from blocks and keeps in the database, such as the signers after a block. */
export interface EngineStoreReader {
  /** @param key usually a block hash */
  get(key: Uint8Array): Uint8Array | undefined
}

/** Writes are committed together with the block that is being verified or built, and dropped when it is not stored. */
export interface EngineStore extends EngineStoreReader {
  put(key: Uint8Array, value: Uint8Array): void
}

/** The state after the parent, to read the accounts and contracts that decide about validators. */
export type ParentState = Pick<StateDB, 'getAccount' | 'getCode' | 'getStorage'>

/** The chain below a block. */
export interface ParentContext {
  /** The rules that the block follows. */
  readonly rules: ForkRules
  readonly headers: HeaderSource
  /** Opened by the first call: an engine that needs no state does not pay for it. */
  parentState(): ParentState
  /** Of this engine alone. */
  readonly store: EngineStore
}

export interface VerifyContext extends ParentContext {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number
  /** false leaves out the seal (import with --skip-pow-validation-enabled). */
  readonly verifySeal: boolean
  /** The header is listed as an ommer. */
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

/** Computes block hashes. */
export interface BlockHasher {
  /**
   * @param encoded the header's RLP when it is at hand; saves an encoding where the hash covers the whole header
   * @returns 32 bytes
   */
  hash(header: Header, encoded?: Uint8Array): Uint8Array
}

/**
 * How branches are chosen.
 *
 * - `difficulty`: the branch of the greater total difficulty; of equal ones the first seen stays.
 * - `forkChoice`: a consensus client says which; by itself the chain only follows blocks on top of the head.
 * - `immediate`: a block is final once it is part of the chain; a competitor of a final block is invalid.
 */
export type Finality = 'difficulty' | 'forkChoice' | 'immediate'

export interface ConsensusEngine extends BlockHasher {
  readonly name: 'pow' | 'pos' | 'clique' | 'ibft2' | 'qbft'
  readonly finality: Finality
  /** Blocks may list ommers. Block hash and header hash are the same then. */
  readonly allowsOmmers: boolean
  /**
   * Whether the block's time has come. A block from the future is not invalid: it may be accepted later.
   * @param nowMs wall clock, milliseconds since 1970
   */
  arrival(header: Header, nowMs: number): 'now' | 'future'
  /**
   * The rules of this engine for one header; those common to all are chain/validation's.
   * @returns why the header is invalid; undefined when it is valid
   */
  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined
  /**
   * Does long work that {@link verifyHeader} would otherwise do by itself when it checks the header's seal.
   * @param yieldToHost called every few milliseconds
   * @returns undefined when there is nothing to wait for
   */
  prepareSealCheck?(header: Header, rules: ForkRules, yieldToHost: YieldToHost): Promise<void> | undefined
  /** Account that is paid for the block: the beneficiary, or the recovered signer. 20 bytes. */
  author(header: Header): Uint8Array
  /**
   * Fills in what this engine decides about a new header: difficulty, mixHash and nonce, and where the engine says so
   * extraData, beneficiary and timestamp. The seal is left empty. A timestamp that the engine chose stays the same when it
   * is prepared again.
   * @param draft with all the fields that are known before execution; mixHash is the plan's prevRandao
   */
  prepare(draft: Header, parent: Header, context: ParentContext): Header
  rewards(block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): BlockRewards
  /** Pays the rewards. Runs after the last transaction and after withdrawals. */
  finalize(state: StateDB, block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): void
}

export type EngineChoice =
  | { readonly kind: 'engine'; readonly engine: ConsensusEngine }
  /** The header's difficulty claims the side of the merge on which the block is not. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** What a block that does not exist yet will follow. */
export interface NextBlockRules {
  readonly engine: ConsensusEngine
  readonly rules: ForkRules
}

/** Which engine's rules each block of a chain follows. */
export interface ConsensusSchedule extends BlockHasher {
  /** The engine that a header claims by number and difficulty, whether or not its parent permits that. */
  claimedBy(header: RulesPoint): ConsensusEngine
  /** @param parentTotalDifficulty of the parent and all its ancestors */
  engineFor(header: RulesPoint, parentTotalDifficulty: bigint): EngineChoice
  /**
   * The engine that makes the next block on top of a parent.
   * @param parentTotalDifficulty of the parent and all its ancestors
   */
  nextBlock(next: Pick<RulesPoint, 'number' | 'timestamp'>, parentTotalDifficulty: bigint): NextBlockRules
}
