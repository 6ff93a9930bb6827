import type { CallSimulator } from '../api/calls/contract.ts'
import type { ApiOptions } from '../api/options.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import type { StateSource } from '../state/contract.ts'
import type { PoolReader } from '../txpool/contract.ts'
import type { VerifiedChain } from './verifiedChain.ts'

/** The part of the node's backend that methods need which execute nothing. */
export interface ReadBackend {
  readonly chain: VerifiedChain
  readonly states: Pick<StateSource, 'at'>
  readonly consensus: ConsensusSchedule
  readonly options: ApiOptions
  readonly pool: PoolReader
  readonly residency: Residency
  readonly yieldToHost: YieldToHost
}

/** The part that calls need. */
export interface CallBackend extends ReadBackend {
  readonly states: StateSource
  readonly calls: CallSimulator
}
