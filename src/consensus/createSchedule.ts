/**
 * Creates the engines that a genesis configures.
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusConfig } from '../config/consensusConfig.ts'
import { NodeError } from '../primitives/errors.ts'
import type { ConsensusEngine } from './engine.ts'
import { PosEngine } from './pos/pos.ts'
import { EpochCaches } from './pow/epochCaches.ts'
import { PowEngine } from './pow/pow.ts'
import { EngineSchedule } from './schedule.ts'

/** Shared dependencies of a chain's engines. */
interface EngineParts {
  readonly config: ChainConfig
  readonly caches: EpochCaches
  readonly proofOfStake: PosEngine
}

type EngineTable = {
  readonly [Kind in ConsensusConfig['kind']]?: (
    settings: Extract<ConsensusConfig, { kind: Kind }>,
    parts: EngineParts,
  ) => ConsensusEngine
}

const ENGINES: EngineTable = {
  ethash: ({ fixedDifficulty }, { config, caches }) =>
    new PowEngine({ fixedDifficulty, eraRounds: config.options.eraRounds, caches }),
  proofOfStake: (_, { proofOfStake }) => proofOfStake,
  instant: (_, { proofOfStake }) => proofOfStake,
}

/**
 * @param caches of ethash; default: new ones
 * @throws {NodeError} UNSUPPORTED_CONSENSUS
 */
export function createSchedule(config: ChainConfig, caches: EpochCaches = new EpochCaches()): EngineSchedule {
  const proofOfStake = new PosEngine()
  const parts: EngineParts = { config, caches, proofOfStake }
  const engines = config.consensus.map((settings, block) => createEngine(settings, block, parts))
  return new EngineSchedule({ config, engines, proofOfStake })
}

function createEngine(settings: ConsensusConfig, block: bigint, parts: EngineParts): ConsensusEngine {
  const create = ENGINES[settings.kind] as
    | ((settings: ConsensusConfig, parts: EngineParts) => ConsensusEngine)
    | undefined
  if (create !== undefined) return create(settings, parts)
  const wanted = block === 0n ? settings.kind : `${settings.kind} from block ${block} on`
  throw new NodeError(
    { code: 'UNSUPPORTED_CONSENSUS' },
    `the genesis file requires ${wanted}, which is not supported; proof of work and proof of stake are`,
  )
}
