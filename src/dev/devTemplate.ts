/**
 * Settings of new blocks on the dev chain: those of every chain, and values that are not derived from the parent.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { BlockPlan, PlanDraft } from '../chain/transition/buildInput.ts'
import { nextGasLimit } from '../chain/transition/gasLimit.ts'
import { BlockTemplate, type TemplateSettings } from '../sealing/blockTemplate.ts'
import type { BlockContent, NextBlockOverrides, ProducerTemplate } from '../sealing/contract.ts'
import { ChainClock } from './chainClock.ts'

/** Values of the next block only; saved in snapshots. */
export interface NextBlockValues {
  readonly baseFeePerGas: bigint | undefined
  readonly prevRandao: Uint8Array | undefined
}

const NOTHING: NextBlockValues = { baseFeePerGas: undefined, prevRandao: undefined }

export class DevTemplate implements ProducerTemplate {
  readonly common: BlockTemplate
  readonly clock: ChainClock
  /** Gas limit of all further blocks, independent of the parent's. */
  gasLimit: bigint | undefined
  next: NextBlockValues = NOTHING

  constructor(settings: TemplateSettings, clock: Clock) {
    this.common = new BlockTemplate(settings, clock)
    this.clock = new ChainClock(clock)
  }

  get overrides(): NextBlockOverrides {
    return { gasLimit: this.gasLimit, baseFeePerGas: this.next.baseFeePerGas }
  }

  get settings(): readonly unknown[] {
    const { offset, nextTimestamp, blockInterval } = this.clock.state
    return [...this.common.settings, offset, nextTimestamp, blockInterval, this.gasLimit, this.next]
  }

  nextGasLimit(parentGasLimit: bigint): bigint {
    return this.gasLimit ?? nextGasLimit(parentGasLimit, this.common.targetGasLimit)
  }

  /** @param timestamp replaces the clock's time, seconds */
  plan(parent: ChainHeader, content: BlockContent, timestamp?: bigint): BlockPlan {
    const { header } = parent
    const { baseFeePerGas, prevRandao } = this.next
    const setsGasLimit = this.gasLimit !== undefined && this.gasLimit !== header.gasLimit
    const plan: PlanDraft = this.common.plan(parent, content, timestamp ?? this.clock.after(header.timestamp))
    if (this.gasLimit !== undefined) plan.gasLimit = this.gasLimit
    if (setsGasLimit) plan.setsGasLimit = true
    if (prevRandao !== undefined) plan.prevRandao = prevRandao
    if (baseFeePerGas !== undefined) plan.baseFeePerGas = baseFeePerGas
    return plan
  }

  /** Called when a block was sealed: discards the values for that block. */
  sealed(timestamp: bigint): void {
    this.clock.sealed(timestamp)
    this.next = NOTHING
  }
}
