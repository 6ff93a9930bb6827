/**
 * Proof of work: ethash seals, computed difficulty, block and ommer rewards.
 * @module
 */

import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToBigInt, bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../../base/primitives/keccak.ts'
import type { BlockRewards, ConsensusEngine, ParentContext, VerifyContext } from '../../chain/engine.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { Block, Header } from '../../types/block.ts'
import { arrivalByClock, checkExtraDataLength, fullHeaderHash } from '../headerLimits.ts'
import { nextDifficulty } from './difficulty.ts'
import { EpochCaches } from './epochCaches.ts'
import { powHash } from './powHash.ts'
import { powRewards } from './rewards.ts'

/** ECIP-1017 on the main network of Ethereum Classic. */
const DEFAULT_ERA_ROUNDS = 5_000_000n
const MAX_TARGET = 2n ** 256n - 1n

export interface PowEngineOptions {
  /** Every block has exactly this difficulty (private networks). */
  readonly fixedDifficulty?: bigint | undefined
  /** ECIP-1017 era length in blocks. */
  readonly eraRounds?: bigint | undefined
  readonly caches?: EpochCaches
}

/**
 * The maximum valid result for a seal.
 * @param difficulty greater than 0
 */
export function sealTarget(difficulty: bigint): bigint {
  return difficulty === 1n ? MAX_TARGET : 2n ** 256n / difficulty
}

export class PowEngine implements ConsensusEngine {
  readonly name = 'pow'
  readonly finality = 'difficulty'
  readonly allowsOmmers = true
  /** For sealing, mining work and computing caches in advance. */
  readonly caches: EpochCaches
  readonly #fixedDifficulty: bigint | undefined
  readonly #eraRounds: bigint

  constructor({ fixedDifficulty, eraRounds, caches }: PowEngineOptions = {}) {
    this.caches = caches ?? new EpochCaches()
    this.#fixedDifficulty = fixedDifficulty
    this.#eraRounds = eraRounds ?? DEFAULT_ERA_ROUNDS
  }

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    return fullHeaderHash(header, encoded)
  }

  arrival(header: Header, nowMs: number): 'now' | 'future' {
    return arrivalByClock(header, nowMs)
  }

  verifyHeader(
    header: Header,
    parent: Header,
    { rules, verifySeal }: Pick<VerifyContext, 'rules' | 'verifySeal'>,
  ): string | undefined {
    return this.verifyFields(header, parent, rules) ?? (verifySeal ? this.verifySeal(header, rules) : undefined)
  }

  verifyFields(header: Header, parent: Header, rules: ForkRules): string | undefined {
    const reason = checkExtraDataLength(header)
    if (reason !== undefined) return reason
    const expected = this.#difficulty(parent, header.timestamp, rules)
    return header.difficulty === expected ? undefined : `invalid difficulty: ${header.difficulty}, must be ${expected}`
  }

  prepareSealCheck({ number }: Header, { longEpochs }: ForkRules, yieldToHost: YieldToHost): Promise<void> | undefined {
    return this.caches.prepare(Number(number), longEpochs, yieldToHost)
  }

  /** @returns why the header's nonce and mixHash are not a valid seal; undefined when they are */
  verifySeal(header: Header, { longEpochs }: ForkRules): string | undefined {
    if (header.difficulty === 0n) return 'invalid difficulty: 0, proof of work needs more'
    const { mixHash, result } = this.caches.hashimoto(Number(header.number), longEpochs, powHash(header), header.nonce)
    if (!equalBytes(mixHash, header.mixHash)) {
      return `invalid mix hash: ${bytesToHex(header.mixHash)}, must be ${bytesToHex(mixHash)}`
    }
    return bytesToBigInt(result) <= sealTarget(header.difficulty)
      ? undefined
      : `invalid proof of work: ${bytesToHex(result)} is above the target of difficulty ${header.difficulty}`
  }

  author(header: Header): Uint8Array {
    return header.beneficiary
  }

  prepare(draft: Header, parent: Header, { rules }: Pick<ParentContext, 'rules'>): Header {
    return {
      ...draft,
      difficulty: this.#difficulty(parent, draft.timestamp, rules),
      mixHash: new Uint8Array(32),
      nonce: new Uint8Array(8),
    }
  }

  rewards(block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): BlockRewards {
    return powRewards(block, rules, this.#eraRounds)
  }

  finalize(state: StateDB, block: Pick<Block, 'header' | 'ommers'>, rules: ForkRules): void {
    const { staticReward, ommerInclusionReward, ommerRewards } = this.rewards(block, rules)
    for (const [i, ommer] of block.ommers.entries()) pay(state, ommer.beneficiary, ommerRewards[i] ?? 0n)
    pay(state, block.header.beneficiary, staticReward + ommerInclusionReward)
  }

  #difficulty(parent: Header, timestamp: bigint, rules: ForkRules): bigint {
    if (this.#fixedDifficulty !== undefined) return this.#fixedDifficulty
    const { number, difficulty } = parent
    const hasOmmers = !equalBytes(parent.ommersHash, EMPTY_LIST_HASH)
    return nextDifficulty({ number, difficulty, hasOmmers, timestamp: parent.timestamp }, timestamp, rules.difficulty)
  }
}

function pay(state: StateDB, address: Uint8Array, wei: bigint): void {
  state.setBalance(address, (state.getAccount(address)?.balance ?? 0n) + wei)
}
