/** Opens chains in memory. */

import type { Clock, Logger } from '../../../src/base/ports/host.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import type { KeyValueStore, Residency } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { BlockExtension } from '../../../src/chain/blockExtension.ts'
import type { ExecutionModules } from '../../../src/chain/blockProcessor.ts'
import { Chain } from '../../../src/chain/chain.ts'
import { DevWriter } from '../../../src/chain/dev/devWriter.ts'
import type { ConsensusSchedule } from '../../../src/chain/engine.ts'
import type { ChainGenesis } from '../../../src/chain/genesis.ts'
import type { MoveBounds } from '../../../src/chain/headMove.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { EpochCaches } from '../../../src/consensus/pow/epochCaches.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import type { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { testYield } from '../host/testYield.ts'

/** The wall clock is fixed at a time after every recorded block. */
export const TEST_CLOCK: Clock = { now: () => Date.UTC(2030, 0, 1), monotonic: () => performance.now() }

export const TEST_SENDERS: InlineRecovery = new InlineRecovery({ clock: TEST_CLOCK, yieldToHost: testYield })

/** Generating a cache takes seconds. */
const epochCaches = new EpochCaches()

export interface TestChainOptions {
  readonly config: ChainConfig
  readonly genesis: ChainGenesis
  readonly kv?: KeyValueStore
  readonly clock?: Clock
  readonly residency?: Residency
  readonly moveBounds?: MoveBounds
  /** States of the same store. */
  readonly states?: StateStore
  /** Default: the schedule that the genesis configures. */
  readonly consensus?: ConsensusSchedule
  /** Default: the EVM selected for the suite. */
  readonly evm?: Evm
  /** Default: none; work runs without yielding. */
  readonly scheduler?: ExecutionScheduler
  readonly derivation?: BlockExtension
  /** Default: silent. */
  readonly logger?: Logger
}

export async function openTestChain(options: TestChainOptions): Promise<Chain> {
  const { config, genesis, kv = new MemoryStore(), clock = TEST_CLOCK, logger = silentLogger } = options
  const modules: ExecutionModules = {
    config,
    states: options.states ?? new StateStore(kv),
    evm: options.evm ?? (await loadTestEvm(TEST_CLOCK)),
    consensus: options.consensus ?? createSchedule(config, epochCaches),
    keepRevertReasons: false,
    ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
    ...(options.derivation === undefined ? {} : { extension: options.derivation }),
    ...(options.residency === undefined ? {} : { residency: options.residency }),
  }
  const moveBounds = options.moveBounds === undefined ? {} : { moveBounds: options.moveBounds }
  return Chain.open({ kv, genesis, modules, senders: TEST_SENDERS, clock, logger, ...moveBounds })
}

/** Changes that only a dev chain allows. */
export function devWriter(chain: Chain): DevWriter {
  return new DevWriter(chain, [])
}
