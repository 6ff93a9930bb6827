/**
 * Creates the engines that a genesis configures.
 * @module
 */

import type { ConsensusEngine } from '../chain/engine.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusConfig } from '../config/consensusConfig.ts'
import { BftEngine } from './bft/bft.ts'
import { IBFT2, QBFT } from './bft/flavour.ts'
import { LegacyIbftEngine } from './bft/legacyIbft.ts'
import { type BftPhase, ValidatorHistory } from './bft/validatorHistory.ts'
import { CliqueEngine } from './clique/clique.ts'
import { CliqueSnapshots } from './clique/snapshots.ts'
import { PosEngine } from './pos.ts'
import { EpochCaches } from './pow/epochCaches.ts'
import { PowEngine } from './pow/pow.ts'
import { EngineSchedule } from './schedule.ts'

/** Shared dependencies of a chain's engines. */
interface EngineDeps {
  readonly config: ChainConfig
  readonly caches: EpochCaches
  readonly proofOfStake: PosEngine
  /** Decodes the blocks of BFT proposals. */
  readonly validators: ValidatorHistory
  /** One for all blocks of the chain. */
  snapshots(epochLength: number): CliqueSnapshots
}

type EngineTable = {
  readonly [Kind in ConsensusConfig['kind']]: (
    settings: Extract<ConsensusConfig, { kind: Kind }>,
    deps: EngineDeps,
  ) => ConsensusEngine
}

const ENGINES: EngineTable = {
  ethash: ({ fixedDifficulty }, { config, caches }) =>
    new PowEngine({ fixedDifficulty, eraRounds: config.options.eraRounds, caches }),
  clique: ({ periodSeconds, epochLength, createsEmptyBlocks = true }, { snapshots }) =>
    new CliqueEngine({ periodSeconds, createsEmptyBlocks }, snapshots(epochLength)),
  proofOfStake: (_, { proofOfStake }) => proofOfStake,
  instant: (_, { proofOfStake }) => proofOfStake,
  ibft2: ({ settings }, { validators }) => new BftEngine(IBFT2, settings, validators),
  qbft: ({ settings }, { validators }) => new BftEngine(QBFT, settings, validators),
  ibft: ({ settings }, { validators }) => new LegacyIbftEngine(settings, validators),
}

/** @param caches of ethash; default: new ones */
export function createSchedule(config: ChainConfig, caches: EpochCaches = new EpochCaches()): EngineSchedule {
  const proofOfStake = new PosEngine()
  const validators = new ValidatorHistory(config.consensus.map(bftPhase))
  let shared: CliqueSnapshots | undefined
  const snapshots = (epochLength: number): CliqueSnapshots => {
    shared ??= new CliqueSnapshots(epochLength)
    return shared
  }
  const deps: EngineDeps = { config, caches, proofOfStake, validators, snapshots }
  const engines = config.consensus.map((settings) => {
    const create = ENGINES[settings.kind] as (settings: ConsensusConfig, deps: EngineDeps) => ConsensusEngine
    return create(settings, deps)
  })
  return new EngineSchedule({ config, engines, proofOfStake })
}

function bftPhase(config: ConsensusConfig, firstBlock: bigint): BftPhase | undefined {
  return 'settings' in config ? { kind: config.kind, settings: config.settings, firstBlock } : undefined
}
