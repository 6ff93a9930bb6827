/** The parts of a node that RPC methods write to, over a chain: pool, feeds and mining settings. */

import { Filters } from '../../../src/api/feeds/filters.ts'
import { Subscriptions } from '../../../src/api/feeds/subscriptions.ts'
import type { RpcProfile } from '../../../src/api/profile.ts'
import type { Clock } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { notificationTexts } from '../../../src/rpc/notificationTexts.ts'
import { BlockTemplate } from '../../../src/sealing/blockTemplate.ts'
import type { MiningInfo } from '../../../src/sealing/contract.ts'
import { IdleProducer } from '../../../src/sealing/idleProducer.ts'
import type { PoolSettings } from '../../../src/txpool/contract.ts'
import { Submission, type TransactionSubmission } from '../../../src/txpool/submission.ts'
import { TransactionPool } from '../../../src/txpool/transactionPool.ts'
import { TEST_CLOCK } from '../chains/testChain.ts'
import { testRandom } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

/** The default settings. */
const POOL_SETTINGS: PoolSettings = {
  maxSize: 4096,
  limitByAccount: 0.001,
  priceBump: 10,
  retentionMs: 13 * 3_600_000,
  feeCap: 10n ** 18n,
  minGasPrice: 1000n,
  requireReplayProtection: false,
}

export interface RpcPartsOptions {
  readonly profile?: RpcProfile
  readonly clock?: Clock
  readonly pool?: Partial<PoolSettings>
}

export interface RpcParts {
  readonly pool: TransactionPool
  readonly submission: TransactionSubmission
  readonly filters: Filters
  readonly subscriptions: Subscriptions
  readonly miner: IdleProducer
  readonly mining: MiningInfo
}

export function openRpcParts(chain: Chain, options: RpcPartsOptions = {}): RpcParts {
  const { profile = 'besu', clock = TEST_CLOCK } = options
  const settings = { ...POOL_SETTINGS, ...options.pool }
  const miner = new IdleProducer(
    new BlockTemplate({ coinbase: undefined, extraData: new Uint8Array(0), targetGasLimit: undefined }, clock),
    silentLogger,
  )
  const pool = new TransactionPool({
    chain,
    states: { at: (header) => chain.stateAt(header) },
    clock,
    logger: silentLogger,
    settings,
    isSealing: () => miner.status !== 'stopped',
  })
  const sources = { chain, chainEvents: chain.events, poolEvents: pool.events }
  return {
    pool,
    submission: new Submission({ pool, journal: { record: async () => {} }, yieldToHost: testYield }),
    filters: new Filters({ ...sources, clock, random: testRandom }),
    subscriptions: new Subscriptions({
      ...sources,
      texts: notificationTexts(profile),
      onError: (error) => {
        throw error
      },
    }),
    miner,
    mining: {
      get coinbase() {
        return miner.coinbase
      },
      get mining() {
        return miner.status !== 'stopped'
      },
      hashrate: miner.hashrate,
      minGasPrice: settings.minGasPrice,
    },
  }
}
