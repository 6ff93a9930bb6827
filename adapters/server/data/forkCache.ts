/**
 * The cache that all forks of a user share.
 * @module
 */
import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { FORK_CACHE_BYTES } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { CachedSource } from '../../../src/fork/cachedSource.ts'
import type { ForkSource } from '../../../src/fork/contract.ts'
import { systemClock, systemTimers } from '../../shared/systemPorts.ts'
import { LmdbCacheStore } from './lmdbCacheStore.ts'

/** Another form of the entries gets another folder. */
const FORMAT = 'v1'

export interface ForkCacheOptions {
  /** Default: {@link forkCacheFolder}. */
  readonly folder?: string | undefined
  /** Default: FORK_CACHE_BYTES */
  readonly maxBytes?: number | undefined
  readonly logger: Logger
}

/** The folder for caches of the user, as each system has it. */
export function forkCacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
  home: string = homedir(),
): string {
  const { XDG_CACHE_HOME: xdg = '', LOCALAPPDATA: local = '' } = environment
  const join = platform === 'win32' ? path.win32 : path.posix
  if (platform === 'win32')
    return join.join(local === '' ? join.join(home, 'AppData', 'Local') : local, 'isonode', 'fork')
  // The specification of XDG ignores relative paths.
  return join.join(xdg.startsWith('/') ? xdg : join.join(home, '.cache'), 'isonode', 'fork')
}

/** @returns undefined, and one line in the log, when the folder cannot be used: a fork goes on without a cache */
export function openForkCache({
  folder = forkCacheFolder(),
  maxBytes = FORK_CACHE_BYTES,
  logger,
}: ForkCacheOptions): ForkSource | undefined {
  try {
    const store = new LmdbCacheStore(path.resolve(folder, FORMAT))
    return new CachedSource({ store, maxBytes, clock: systemClock, timers: systemTimers, logger })
  } catch (error) {
    logger.warn('the fork goes on without its cache', { error })
    return undefined
  }
}
