/**
 * Settings of the blocks of a Clique signer: its account receives the fees, the beneficiary is the subject of a vote.
 * @module
 */
import type { ChainHeader } from '../chain/contract.ts'
import type { BlockPlan } from '../chain/transition/buildInput.ts'
import type { VoteIntent } from '../consensus/voteIntents.ts'
import type { BlockTemplate } from './blockTemplate.ts'
import type { BlockContent, ProducerTemplate } from './contract.ts'

const ZERO_ADDRESS: Uint8Array = new Uint8Array(20)

export class CliqueTemplate implements ProducerTemplate {
  readonly common: BlockTemplate
  readonly #author: Uint8Array

  /** @param author address of the signer, 20 bytes */
  constructor(common: BlockTemplate, author: Uint8Array) {
    this.common = common
    this.#author = author
  }

  get overrides(): undefined {
    return undefined
  }

  get settings(): readonly unknown[] {
    return [this.common.targetGasLimit]
  }

  plan(parent: ChainHeader, content: BlockContent, vote?: VoteIntent): BlockPlan {
    const plan = this.common.plan(parent, content)
    return { ...plan, beneficiary: vote?.recipient ?? ZERO_ADDRESS, author: this.#author }
  }
}
