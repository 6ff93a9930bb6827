import type { ConsensusSchedule } from '../chain/engine.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createPosSchedule, isOnlyProofOfStake } from '../consensus/posSchedule.ts'

/** Creates the engines of a chain. Loads those that most dev chains do not have. */
export async function openSchedule(
  config: ChainConfig,
  { ethashTestMode }: { readonly ethashTestMode: boolean },
): Promise<ConsensusSchedule> {
  if (isOnlyProofOfStake(config)) return createPosSchedule(config)
  const [{ createSchedule }, { EpochCaches }] = await Promise.all([
    import('../consensus/createSchedule.ts'),
    import('../consensus/pow/epochCaches.ts'),
  ])
  return createSchedule(config, new EpochCaches({ isTest: ethashTestMode }))
}
