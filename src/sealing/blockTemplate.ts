/**
 * Settings of new blocks shared by all producers.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { BlockPlan } from '../chain/transition/buildInput.ts'
import { nextGasLimit } from '../chain/transition/gasLimit.ts'
import type { BlockContent, ProducerTemplate } from './contract.ts'

export interface TemplateSettings {
  /** 20 bytes; undefined: not set */
  readonly coinbase: Uint8Array | undefined
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  /** undefined: the gas limit is unchanged */
  readonly targetGasLimit: bigint | undefined
}

const ZERO_ADDRESS: Uint8Array = new Uint8Array(20)

export class BlockTemplate implements ProducerTemplate {
  readonly #clock: Clock
  readonly #extraData: Uint8Array
  coinbase: Uint8Array | undefined
  targetGasLimit: bigint | undefined

  constructor({ coinbase, extraData, targetGasLimit }: TemplateSettings, clock: Clock) {
    this.#clock = clock
    this.coinbase = coinbase
    this.targetGasLimit = targetGasLimit
    this.#extraData = extraData
  }

  /** @throws {NodeError} COINBASE_NOT_SET */
  requireCoinbase(): Uint8Array {
    if (this.coinbase !== undefined) return this.coinbase
    throw new NodeError({ code: 'COINBASE_NOT_SET' }, 'etherbase must be explicitly specified')
  }

  get overrides(): undefined {
    return undefined
  }

  get settings(): readonly unknown[] {
    return [this.coinbase, this.targetGasLimit]
  }

  /** @param timestamp seconds; default: the clock's time, but later than the parent's */
  plan({ header, hash }: ChainHeader, content: BlockContent, timestamp?: bigint): BlockPlan {
    return {
      transactions: content.transactions,
      isEmptyAllowed: content.isEmptyAllowed,
      timestamp: timestamp ?? this.#timeAfter(header.timestamp),
      beneficiary: this.coinbase ?? ZERO_ADDRESS,
      extraData: this.#extraData,
      gasLimit: nextGasLimit(header.gasLimit, this.targetGasLimit),
      // Unpredictable, but identical for identical chains.
      prevRandao: keccak256(hash),
    }
  }

  #timeAfter(parentTimestamp: bigint): bigint {
    const now = BigInt(Math.floor(this.#clock.now() / 1000))
    return now > parentTimestamp ? now : parentTimestamp + 1n
  }
}
