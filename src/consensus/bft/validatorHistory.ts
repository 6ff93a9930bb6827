/**
 * The validators after each block, from headers, votes, epochs and transitions.
 * @see docs/reference/consensus-ibft-qbft.md section 10; docs/reference/consensus-clique.md section 4
 * @module
 */

import { MAX_CACHED_TALLIES, TALLY_RECORD_INTERVAL } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { EngineStore, EngineStoreReader, HeaderSource } from '../../chain/engine.ts'
import type { BftSettings } from '../../config/bftConfig.ts'
import type { BlockSchedule } from '../../config/blockSchedule.ts'
import type { Header } from '../../types/block.ts'
import { type BftKind, HEADER_READERS } from './headerReaders.ts'
import { castVote, decodeTally, encodeTally, freshTally, type VoteTally } from './votes.ts'

/** Rules that hold from one block of the chain on. */
export interface BftPhase {
  readonly kind: BftKind
  readonly settings: BftSettings
  readonly firstBlock: bigint
}

export interface HistorySources {
  readonly headers: HeaderSource
  /** Without `put`, nothing is recorded. */
  readonly store: EngineStoreReader & Partial<EngineStore>
}

interface Block {
  readonly hash: Uint8Array
  readonly header: Header
}

const INTERVAL = BigInt(TALLY_RECORD_INTERVAL)

export class ValidatorHistory {
  /** undefined: blocks of another kind of engine */
  readonly #phases: BlockSchedule<BftPhase | undefined>
  /** Keyed by block hash in hex; a tally never changes. */
  readonly #tallies = new LruCache<string, VoteTally>(MAX_CACHED_TALLIES)

  constructor(phases: BlockSchedule<BftPhase | undefined>) {
    this.#phases = phases
  }

  /**
   * The validators of the blocks on top of a block, with the votes that are open then.
   * @param hash 32 bytes, of `header`
   * @throws {NodeError} VALIDATORS_UNKNOWN when a block below is not stored or has no list of validators
   * @throws {NodeError} INVALID_EXTRA_DATA when a block below, such as the genesis, has undecodable extra data
   */
  after(hash: Uint8Array, header: Header, sources: HistorySources): VoteTally {
    const pending: Block[] = []
    let block: Block = { hash, header }
    let tally = this.#known(block, sources)
    while (tally === undefined) {
      pending.push(block)
      block = parentOf(block.header, sources.headers)
      tally = this.#known(block, sources)
    }
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      tally = this.#withVote(tally, next.header)
      this.#keep(next, tally, sources)
    }
    return tally
  }

  /** The tally if it does not depend on the blocks below, or has been computed before. */
  #known(block: Block, { store }: HistorySources): VoteTally | undefined {
    const key = bytesToHex(block.hash)
    const cached = this.#tallies.get(key)
    if (cached !== undefined) return cached
    const { number } = block.header
    const record = number % INTERVAL === 0n ? store.get(block.hash) : undefined
    const tally = record === undefined ? this.#base(block.header) : decodeTally(record)
    if (tally !== undefined) this.#tallies.set(key, tally)
    return tally
  }

  #base(header: Header): VoteTally | undefined {
    const { number } = header
    const next = this.#phases.at(number + 1n)
    if (next?.settings.validators !== undefined && next.firstBlock === number + 1n) {
      return this.#withVote(freshTally(next.settings.validators), header)
    }
    if (!this.#isEpoch(number)) return undefined
    const phase = this.#phases.at(number)
    if (phase === undefined) throw unknown(`block ${number} belongs to an engine without BFT validators`)
    return freshTally(HEADER_READERS[phase.kind].validators(header))
  }

  #withVote(tally: VoteTally, header: Header): VoteTally {
    const phase = this.#phases.at(header.number)
    if (phase === undefined || this.#isEpoch(header.number)) return tally
    const vote = HEADER_READERS[phase.kind].vote(header)
    return vote === undefined ? tally : castVote(tally, vote)
  }

  /** Blocks that set the validators to the list in their header; their own vote has no effect. */
  #isEpoch(number: bigint): boolean {
    const phase = this.#phases.at(number)
    return number === 0n || phase === undefined || number % BigInt(phase.settings.epochLength) === 0n
  }

  #keep({ hash, header }: Block, tally: VoteTally, { store }: HistorySources): void {
    this.#tallies.set(bytesToHex(hash), tally)
    if (header.number % INTERVAL === 0n) store.put?.(hash, encodeTally(tally))
  }
}

function parentOf({ number, parentHash }: Header, headers: HeaderSource): Block {
  const header = headers.headerByHash(parentHash)
  if (header === undefined) throw unknown(`block ${number - 1n} with hash ${bytesToHex(parentHash)} is not stored`)
  return { hash: parentHash, header }
}

function unknown(reason: string): NodeError {
  return new NodeError({ code: 'VALIDATORS_UNKNOWN' }, `the validators are unknown: ${reason}`)
}
