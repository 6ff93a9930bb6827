/**
 * IBFT 2.0 and QBFT: header rules, validators, rewards.
 * @see docs/reference/consensus-ibft-qbft.md sections 1 to 3, 10
 * @module
 */

import { bytesToHex, isZeroBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import {
  type BlockRewards,
  type ConsensusEngine,
  type ParentCall,
  type ParentContext,
  STANDSTILL_PERIODS,
  type VerifyContext,
} from '../../chain/engine.ts'
import { type BftSettings, emptyPeriodMsOf, leastSecondsOf, periodMsOf } from '../../config/bftConfig.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { Header } from '../../types/block.ts'
import { VANITY_BYTES } from '../signedHeader.ts'
import { type Addresses, equalAddresses, hasAddress } from './addresses.ts'
import { type BftExtraData, decodeExtraData, encodeExtraData, initialExtraData } from './extraData.ts'
import type { BftFlavour } from './flavour.ts'
import { bftBlockHash, commitSealHash } from './hashes.ts'
import { checkGenesisExtraData } from './headerReaders.ts'
import { quorumOf } from './quorum.ts'
import { BFT_DIGEST, bftArrival, checkBftFields, checkCommitSeals, payReward } from './rules.ts'
import { type ContractValidators, validatorCall, validatorsOfCall } from './validatorContract.ts'
import type { ValidatorHistory } from './validatorHistory.ts'

export class BftEngine implements ConsensusEngine {
  readonly name: 'ibft2' | 'qbft'
  readonly finality = 'immediate'
  readonly allowsOmmers = false
  readonly flavour: BftFlavour
  readonly settings: BftSettings
  /** Validators after each block of the chain, whatever its engine. */
  readonly history: ValidatorHistory

  /** @param settings of the blocks that belong to this engine */
  constructor(flavour: BftFlavour, settings: BftSettings, history: ValidatorHistory) {
    this.name = flavour.name
    this.flavour = flavour
    this.settings = settings
    this.history = history
  }

  get allowsEqualTimestamps(): boolean {
    return leastSecondsOf(this.settings) === 0
  }

  /** Rounds of absent proposers are no standstill yet: the first two take three request timeouts. */
  get standstillMs(): number {
    const { settings } = this
    const periodMs = Math.max(periodMsOf(settings), emptyPeriodMsOf(settings))
    return Math.max(STANDSTILL_PERIODS * periodMs, 4 * settings.requestTimeoutSeconds * 1000)
  }

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    return bftBlockHash(header, this.flavour, encoded)
  }

  checkGenesis(genesis: Pick<Header, 'extraData'>): string | undefined {
    return checkGenesisExtraData(genesis, this.name)
  }

  arrival(header: Header, nowMs: number): 'now' | 'future' {
    return bftArrival(header, nowMs)
  }

  parentCall(): ParentCall | undefined {
    const { validatorContract } = this.settings
    return validatorContract && validatorCall(validatorContract)
  }

  verifyFields(header: Header, parent: Header): string | undefined {
    return checkBftFields(header, parent, this.settings) ?? this.#checkNonce(header)
  }

  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined {
    const reason = this.verifyFields(header, parent)
    if (reason !== undefined) return reason
    let extra: BftExtraData
    try {
      extra = decodeExtraData(header.extraData, this.flavour)
    } catch (error) {
      if (!isNodeError(error, 'INVALID_EXTRA_DATA')) throw error
      return error.message
    }
    const validators = this.validatorsAfter(header.parentHash, parent, context)
    if (validators.kind === 'unknown') return validators.reason
    return (
      this.#checkExtraData(extra, validators.validators) ??
      checkProposer(header, validators.validators) ??
      (context.verifySeal
        ? checkCommitSeals(
            commitSealHash(header, this.flavour, extra),
            extra.seals,
            validators.validators,
            quorumOf(validators.validators.length),
          )
        : undefined)
    )
  }

  /**
   * Validators of the blocks on top of a parent, ascending.
   * @param context with the result of `parentCall`
   */
  validatorsAfter(
    parentHash: Uint8Array,
    parent: Header,
    context: Pick<ParentContext, 'headers' | 'store' | 'parentCallResult'>,
  ): ContractValidators {
    const call = this.parentCall()
    if (call !== undefined) return validatorsOfCall(call, context.parentCallResult)
    return { kind: 'validators', validators: this.history.after(parentHash, parent, context).validators }
  }

  author(header: Header): Uint8Array {
    return this.settings.miningBeneficiary ?? header.beneficiary
  }

  /**
   * The plan's extra data are the vanity, or a complete encoding of which vanity, vote and round are used.
   * @throws {NodeError} INVALID_EXTRA_DATA when they are longer than a vanity and not such an encoding
   */
  prepare(draft: Header, parent: Header, context: ParentContext): Header {
    const { extraData, parentHash } = draft
    const isVanity = extraData.length <= VANITY_BYTES
    const isInContract = this.settings.validatorContract !== undefined
    const validators = isInContract ? [] : this.history.after(parentHash, parent, context).validators
    const extra = isVanity
      ? initialExtraData(validators, extraData)
      : { ...decodeExtraData(extraData, this.flavour), validators, seals: [] }
    const earliest = parent.timestamp + BigInt(leastSecondsOf(this.settings))
    return {
      ...draft,
      difficulty: 1n,
      mixHash: BFT_DIGEST,
      nonce: new Uint8Array(8),
      timestamp: draft.timestamp > earliest ? draft.timestamp : earliest,
      extraData: encodeExtraData(extra, this.flavour),
    }
  }

  rewards(): BlockRewards {
    return { staticReward: this.settings.blockReward, ommerInclusionReward: 0n, ommerRewards: [] }
  }

  finalize(state: StateDB, { header }: { readonly header: Header }): void {
    payReward(state, this.author(header), this.settings.blockReward)
  }

  #checkNonce({ nonce }: Header): string | undefined {
    if (this.name === 'qbft' || isZeroBytes(nonce)) return undefined
    return `invalid nonce: ${bytesToHex(nonce)}, must be zero under IBFT 2.0`
  }

  #checkExtraData({ validators, vote }: BftExtraData, expected: Addresses): string | undefined {
    if (this.settings.validatorContract !== undefined) {
      if (validators.length > 0) return `invalid extra data: ${validators.length} validators, a contract lists them`
      return vote === undefined ? undefined : 'invalid extra data: a vote, but a contract lists the validators'
    }
    if (equalAddresses(validators, expected)) return undefined
    return `invalid extra data: validators ${listOf(validators)}, must be ${listOf(expected)}`
  }
}

function checkProposer({ beneficiary }: Header, validators: Addresses): string | undefined {
  return hasAddress(validators, beneficiary)
    ? undefined
    : `invalid beneficiary: ${bytesToHex(beneficiary)} is not a validator of the block`
}

/** Long lists are cut: the reason is logged and stored. */
function listOf(addresses: Addresses): string {
  const list = addresses.slice(0, 20).map(bytesToHex).join(', ')
  return addresses.length > 20 ? `[${list} and ${addresses.length - 20} more]` : `[${list}]`
}
