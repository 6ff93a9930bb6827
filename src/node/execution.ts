/**
 * What blocks and calls are executed with.
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusEngine } from '../consensus/engine.ts'
import { PosEngine } from '../consensus/pos/pos.ts'
import { PowEngine } from '../consensus/pow/pow.ts'
import { EngineSchedule } from '../consensus/schedule.ts'
import { LazyEvm } from '../evm/lazyEvm.ts'
import { loadNativeEvm } from '../evm/loadNativeEvm.ts'
import { loadReferenceEvm } from '../evm/loadReferenceEvm.ts'
import { ExecutionScheduler } from '../evm/scheduler.ts'
import type { Clock } from '../ports/host.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { NodeError } from '../primitives/errors.ts'
import type { NodeSettings } from './settings.ts'

export interface ExecutionHost {
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  /** The native engine's module; undefined: it is compiled when the engine is needed. */
  readonly evmModule?: WebAssembly.Module
}

export interface NodeExecution {
  /** Of --evm; a node starts without it. */
  readonly evm: LazyEvm
  readonly consensus: EngineSchedule
  readonly scheduler: ExecutionScheduler
}

/** @throws {NodeError} UNSUPPORTED_CONSENSUS */
export function createExecution(
  { clock, yieldToHost, evmModule }: ExecutionHost,
  config: ChainConfig,
  { evm }: Pick<NodeSettings, 'evm'>,
): NodeExecution {
  const load = () => (evm === 'native' ? loadNativeEvm(clock, evmModule) : loadReferenceEvm(clock))
  return {
    evm: new LazyEvm(evm, load),
    consensus: new EngineSchedule({ config, first: firstEngine(config), proofOfStake: new PosEngine() }),
    scheduler: new ExecutionScheduler({ clock, yieldToHost }),
  }
}

/** The engine of the blocks before a merge, or of all. */
function firstEngine({ options }: ChainConfig): ConsensusEngine {
  const { consensus, eraRounds } = options
  switch (consensus.kind) {
    case 'ethash':
      return new PowEngine({ fixedDifficulty: consensus.fixedDifficulty, eraRounds })
    case 'proofOfStake':
      return new PosEngine()
    default:
      throw new NodeError(
        { code: 'UNSUPPORTED_CONSENSUS' },
        `the genesis file asks for ${consensus.kind}, which is not built yet; proof of work and proof of stake are`,
      )
  }
}
