/**
 * Rewards of a proof-of-work block.
 * @see Yellow Paper 11.3; ECIP-1017; docs/reference/pow-ethash.md section 3
 * @module
 */

import type { BlockRewards } from '../../chain/engine.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { Block } from '../../types/block.ts'

/** The author receives the block reward divided by this for each included ommer. */
const INCLUSION_DIVISOR = 32n
/** An ommer's reward decreases by one in this number of parts per block of age. */
const OMMER_PARTS = 8n
/** ECIP-1017: the reward of each era is four fifths of the preceding one. */
const ERA_NUMERATOR = 4n
const ERA_DENOMINATOR = 5n

/** @param eraRounds ECIP-1017 era length in blocks; used when the rules have eras */
export function powRewards(
  { header, ommers }: Pick<Block, 'header' | 'ommers'>,
  rules: ForkRules,
  eraRounds: bigint,
): BlockRewards {
  const era = rules.eraRewards ? (header.number - 1n) / eraRounds : 0n
  const staticReward = (rules.blockReward * ERA_NUMERATOR ** era) / ERA_DENOMINATOR ** era
  return {
    staticReward,
    ommerInclusionReward: (staticReward * BigInt(ommers.length)) / INCLUSION_DIVISOR,
    ommerRewards: ommers.map((ommer) =>
      era > 0n
        ? staticReward / INCLUSION_DIVISOR
        : (staticReward * (OMMER_PARTS - (header.number - ommer.number))) / OMMER_PARTS,
    ),
  }
}
