import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusConfig } from '../config/consensusConfig.ts'
import { PosEngine } from './pos.ts'
import { EngineSchedule } from './schedule.ts'

const KINDS: readonly ConsensusConfig['kind'][] = ['proofOfStake', 'instant']

/** Whether proof of stake is the only engine of the chain, as on a dev chain. */
export function isOnlyProofOfStake({ consensus }: Pick<ChainConfig, 'consensus'>): boolean {
  return consensus.entries.every(({ value }) => KINDS.includes(value.kind))
}

/** The engine of a chain that {@link isOnlyProofOfStake}, without the code of the others. */
export function createPosSchedule(config: ChainConfig): EngineSchedule {
  const proofOfStake = new PosEngine()
  return new EngineSchedule({ config, engines: config.consensus.map(() => proofOfStake), proofOfStake })
}
