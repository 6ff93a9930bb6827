/**
 * Building, verifying and committing the blocks of one height.
 * @module
 */

import type { Logger, SenderRecovery } from '../../base/ports/host.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { Candidate } from '../../chain/candidates.ts'
import type { Chain } from '../../chain/chain.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import {
  type EncodedBlock,
  encodedBlock,
  type PreparedBlock,
  prepareBlocks,
  withSenders,
} from '../../chain/preparedBlock.ts'
import type { BlockPlan } from '../../chain/transition/buildInput.ts'
import { checkSize } from '../../chain/validation/bodyRules.ts'
import { encodeExtraData, initialExtraData } from '../../consensus/bft/extraData.ts'
import type { StateSource } from '../../state/contract.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { BlockTemplate } from '../blockTemplate.ts'
import { poolQueueOn } from '../poolQueue.ts'
import { PoolRefusals } from '../poolRefusals.ts'
import { PoolSource } from '../poolSource.ts'
import type { ChainBlock } from './chainBlocks.ts'
import type { BftVotes } from './contract.ts'
import type { Protocol } from './protocols.ts'

export interface BlockWorkDeps {
  readonly chain: Pick<Chain, 'head' | 'config' | 'consensus' | 'build' | 'verify' | 'commit' | 'discard'>
  readonly pool: Pick<TransactionPool, 'best' | 'remove' | 'byHash'>
  readonly states: Pick<StateSource, 'at'>
  readonly senders: SenderRecovery
  readonly residency: Residency | undefined
  readonly template: BlockTemplate
  readonly votes: BftVotes
  readonly logger: Logger
}

/** When to end the build of a block. */
export type BuildLimits = Required<Pick<BlockPlan, 'deadlineMs' | 'signal'>>

export class BlockWork {
  readonly #deps: BlockWorkDeps
  readonly #refusals: PoolRefusals
  /** Executed blocks by hash, which is the same in every round. */
  readonly #candidates = new Map<string, Candidate>()

  constructor(deps: BlockWorkDeps) {
    this.#deps = deps
    this.#refusals = new PoolRefusals(deps.pool, deps.logger)
  }

  /**
   * @param timestamp seconds
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATES_FULL, BLOCK_NOT_BUILT; EXECUTION_ABORTED by the signal
   */
  async build(
    parent: ChainHeader,
    timestamp: number,
    { flavour, blocks }: Protocol,
    limits: BuildLimits,
  ): Promise<ChainBlock | undefined> {
    const { chain, template, votes, residency } = this.#deps
    const content = { transactions: await this.#pooled(parent), isEmptyAllowed: true }
    const plan = template.plan(parent, content, BigInt(timestamp))
    const vote = await retryMisses(() => votes.next(parent), residency)
    const extra = { ...initialExtraData([], plan.extraData), vote }
    const extraData = encodeExtraData(extra, flavour)
    const candidate = await chain.build({ ...plan, ...limits, extraData }, parent, { isPinned: true })
    return candidate && blocks.of(this.#keep(candidate).block, candidate.rlp)
  }

  /**
   * Executes a proposed block, unless that was done in an earlier round.
   * @returns why it is invalid; undefined when it is valid
   * @throws {NodeError} CANDIDATES_FULL
   */
  async verify({ block, encoded, hash }: ChainBlock, parent: ChainHeader): Promise<string | undefined> {
    const { chain, senders } = this.#deps
    if (!equalBytes(block.header.parentHash, parent.hash)) return 'the parent of the block is not the head'
    if (this.#candidates.has(keyOf(hash))) return undefined
    const size = checkSize(encoded.length, chain.config.rulesAt(block.header))
    if (size !== undefined) return size
    const unprepared = { ...encodedBlock(block, chain.consensus, encoded), hasValidBody: true }
    const prepared = this.#pooledSenders(unprepared) ?? (await prepareBlocks([unprepared], senders))[0]
    if (prepared === undefined) return 'the block cannot be prepared'
    const outcome = await chain.verify(prepared, { isPinned: true })
    if (outcome.kind === 'verified') this.#keep(outcome.candidate)
    return outcome.kind === 'verified' ? undefined : reasonOf(outcome)
  }

  /**
   * Stores a block on which a quorum agrees.
   * @returns why it was not stored; undefined: it is the head
   * @throws {NodeError} CANDIDATE_PARENT_GONE and others of Chain.commit
   */
  async commit(block: ChainBlock, seals: readonly Uint8Array[], { blocks }: Protocol): Promise<string | undefined> {
    const { chain } = this.#deps
    const key = keyOf(block.hash)
    const candidate = this.#candidates.get(key)
    if (candidate === undefined) return 'the block was not executed'
    this.#candidates.delete(key)
    const outcome = await chain.commit(candidate, { extraData: blocks.sealed(block, seals) })
    return outcome.kind === 'imported' || outcome.kind === 'known' ? undefined : reasonOf(outcome)
  }

  /** The height is over. */
  clear(): void {
    for (const candidate of this.#candidates.values()) this.#deps.chain.discard(candidate)
    this.#candidates.clear()
  }

  /** Senders that the pool knows; recovering them again would cost more than executing most transactions. */
  #pooledSenders(block: EncodedBlock): PreparedBlock | undefined {
    const hashes = block.encodings.transactions.map(keccak256)
    const senders: Uint8Array[] = []
    for (const hash of hashes) {
      const pooled = this.#deps.pool.byHash(hash)
      if (pooled === undefined || pooled.isImpersonated === true) return undefined
      senders.push(pooled.sender)
    }
    return withSenders(block, senders, hashes)
  }

  /** Whether the pool has a transaction for a block on top of another. */
  async hasTransactions(parent: ChainHeader): Promise<boolean> {
    return (await this.#queue(parent)).peek() !== undefined
  }

  #keep(candidate: Candidate): Candidate {
    const key = keyOf(candidate.hash)
    const other = this.#candidates.get(key)
    if (other !== undefined) this.#deps.chain.discard(other)
    this.#candidates.set(key, candidate)
    return candidate
  }

  async #pooled(parent: ChainHeader): Promise<PoolSource> {
    const refusals = this.#refusals
    return new PoolSource({
      queue: await this.#queue(parent),
      limit: Number.POSITIVE_INFINITY,
      slow: refusals.slow,
      onRefused: (pooled, rejection) => refusals.refuse(pooled, rejection),
    })
  }

  #queue(parent: ChainHeader) {
    return retryMisses(() => poolQueueOn(parent, this.#deps), this.#deps.residency)
  }
}

function keyOf(hash: Uint8Array): string {
  return bytesToHexUnprefixed(hash)
}

function reasonOf(outcome: { readonly kind: string; readonly reason?: string }): string {
  return outcome.reason ?? `the block is refused: ${outcome.kind}`
}
