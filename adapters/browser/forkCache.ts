/**
 * The cache that all forks of a web site share.
 * @module
 */
import { BROWSER_FORK_CACHE_BYTES } from '../../src/base/limits/limits.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import { CachedSource } from '../../src/fork/cachedSource.ts'
import type { ForkSource } from '../../src/fork/contract.ts'
import { webClock, webTimers } from '../shared/webPorts.ts'
import { IdbCacheStore } from './idbCacheStore.ts'

/** Another form of the entries gets another database. */
const DATABASE = 'isonode-fork-v1'

export interface ForkCacheOptions {
  /** Default: BROWSER_FORK_CACHE_BYTES */
  readonly maxBytes?: number | undefined
  readonly logger: Logger
}

/** Where the browser refuses databases, the first use says so, and the fork goes on without a cache. */
export function openForkCache({ maxBytes = BROWSER_FORK_CACHE_BYTES, logger }: ForkCacheOptions): ForkSource {
  const store = new IdbCacheStore(DATABASE)
  return new CachedSource({ store, maxBytes, clock: webClock, timers: webTimers, logger })
}
