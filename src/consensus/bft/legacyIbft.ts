/**
 * Legacy IBFT (Istanbul in Quorum), for importing its chains: blocks are verified, none are sealed.
 * @see EIP-650
 * @module
 */

import { bytesToHex, EMPTY_BYTES, equalBytes, isZeroBytes, padLeft } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { BlockRewards, ConsensusEngine, ParentContext, VerifyContext } from '../../chain/engine.ts'
import type { BftSettings } from '../../config/bftConfig.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { Header } from '../../types/block.ts'
import { fullHeaderHash } from '../headerLimits.ts'
import { ADD_NONCE, VANITY_BYTES } from '../signedHeader.ts'
import { equalAddresses, hasAddress } from './addresses.ts'
import { checkGenesisExtraData } from './headerReaders.ts'
import {
  decodeLegacyExtraData,
  encodeLegacyExtraData,
  type LegacyExtraData,
  legacyBlockHash,
  legacyCommitDigest,
  legacyProposer,
} from './legacy.ts'
import { quorumOf } from './quorum.ts'
import { BFT_DIGEST, bftArrival, checkBftFields, checkCommitSeals, payReward } from './rules.ts'
import type { ValidatorHistory } from './validatorHistory.ts'

export class LegacyIbftEngine implements ConsensusEngine {
  readonly name = 'ibft'
  readonly finality = 'immediate'
  readonly allowsOmmers = false
  readonly settings: BftSettings
  readonly history: ValidatorHistory
  /** Recovering one takes as long as the rest of the header's verification. */
  readonly #proposers = new WeakMap<Header, Uint8Array>()

  constructor(settings: BftSettings, history: ValidatorHistory) {
    this.settings = settings
    this.history = history
  }

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    const extra = header.number === 0n ? undefined : decoded(header)
    return extra === undefined || typeof extra === 'string'
      ? fullHeaderHash(header, encoded)
      : legacyBlockHash(header, extra)
  }

  checkGenesis(genesis: Pick<Header, 'extraData'>): string | undefined {
    return checkGenesisExtraData(genesis, this.name)
  }

  arrival(header: Header, nowMs: number): 'now' | 'future' {
    return bftArrival(header, nowMs)
  }

  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined {
    const reason = checkBftFields(header, parent, this.settings) ?? checkVoteNonce(header)
    if (reason !== undefined) return reason
    const extra = decoded(header)
    if (typeof extra === 'string') return extra
    const { validators } = this.history.after(header.parentHash, parent, context)
    if (!equalAddresses(extra.validators, validators)) return 'invalid extra data: not the validators of the block'
    if (!context.verifySeal) return undefined
    const proposer = this.#proposer(header, extra)
    if (proposer === undefined) return 'invalid proposer seal: no account can be recovered from it'
    if (!hasAddress(validators, proposer)) {
      return `invalid proposer seal: ${bytesToHex(proposer)} is not a validator of the block`
    }
    const quorum = this.#quorum(header.number, validators.length)
    return checkCommitSeals(legacyCommitDigest(header, extra), extra.seals, validators, quorum)
  }

  /** The proposer; the zero address while the block has no seal. */
  author(header: Header): Uint8Array {
    if (this.settings.miningBeneficiary !== undefined) return this.settings.miningBeneficiary
    const cachedProposer = this.#proposers.get(header)
    if (cachedProposer !== undefined) return cachedProposer
    const extra = decoded(header)
    return (typeof extra === 'string' ? undefined : this.#proposer(header, extra)) ?? new Uint8Array(20)
  }

  /** The header of a pending block: it casts no vote. */
  prepare(draft: Header, parent: Header, context: ParentContext): Header {
    const { validators } = this.history.after(draft.parentHash, parent, context)
    const vanity = padLeft(draft.extraData.subarray(0, VANITY_BYTES), VANITY_BYTES)
    const earliest = parent.timestamp + BigInt(this.settings.periodSeconds)
    return {
      ...draft,
      beneficiary: new Uint8Array(20),
      difficulty: 1n,
      mixHash: BFT_DIGEST,
      nonce: new Uint8Array(8),
      timestamp: draft.timestamp > earliest ? draft.timestamp : earliest,
      extraData: encodeLegacyExtraData({ vanity, validators, proposerSeal: EMPTY_BYTES, seals: [] }),
    }
  }

  rewards(): BlockRewards {
    return { staticReward: this.settings.blockReward, ommerInclusionReward: 0n, ommerRewards: [] }
  }

  finalize(state: StateDB, { header }: { readonly header: Header }): void {
    payReward(state, this.author(header), this.settings.blockReward)
  }

  #proposer(header: Header, extra: LegacyExtraData): Uint8Array | undefined {
    const proposer = this.#proposers.get(header) ?? legacyProposer(header, extra)
    if (proposer !== undefined) this.#proposers.set(header, proposer)
    return proposer
  }

  /** 2f + 1, and from a configured block on ⌈2n/3⌉. */
  #quorum(number: bigint, validators: number): number {
    const { ceilQuorumBlock } = this.settings
    if (ceilQuorumBlock !== undefined && number >= ceilQuorumBlock) return quorumOf(validators)
    return 2 * (Math.ceil(validators / 3) - 1) + 1
  }
}

function checkVoteNonce({ nonce }: Header): string | undefined {
  if (isZeroBytes(nonce) || equalBytes(nonce, ADD_NONCE)) return undefined
  return `invalid nonce: ${bytesToHex(nonce)}, must be zero or ${bytesToHex(ADD_NONCE)}`
}

/** @returns the extra data, or why they cannot be decoded */
function decoded({ extraData }: Header): LegacyExtraData | string {
  try {
    return decodeLegacyExtraData(extraData)
  } catch (error) {
    if (!isNodeError(error, 'INVALID_EXTRA_DATA')) throw error
    return error.message
  }
}
