/**
 * The search for seals of proof of work, on the threads of the host.
 * @module
 */

import type { DatasetHost } from '../base/ports/ethashDatasets.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { ShowProgress } from '../base/ports/progress.ts'
import type { Random } from '../base/ports/random.ts'
import type { OpenSealSearch, SealSearch } from '../base/ports/sealSearch.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { EpochCaches } from '../consensus/pow/epochCaches.ts'
import { DatasetSearch } from '../sealing/pow/datasetSearch.ts'
import { SliceSearch } from '../sealing/pow/sliceSearch.ts'
import { LongWork } from './longWork.ts'
import type { SealingSettings } from './settings/nodeSettings.ts'

export interface SealSearchDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly yieldToHost: YieldToHost
  readonly showProgress?: ShowProgress | undefined
  /** Threads that search for seals; undefined: this thread searches, in slices. */
  readonly openSealSearch?: OpenSealSearch | undefined
  /** Threads that compute datasets. */
  readonly ethashDatasets?: DatasetHost | undefined
  readonly settings: { readonly sealing: Pick<SealingSettings, 'dag'> }
}

export function openSearch(deps: SealSearchDeps, caches: EpochCaches, logger: Logger): SealSearch {
  const { clock, yieldToHost, showProgress } = deps
  const onError = (error: unknown): void => logger.error('the search for a seal failed', { error })
  const host = datasetHost(deps)
  const search =
    deps.openSealSearch?.({ isTest: caches.isTest, onError }) ??
    new SliceSearch({ caches, clock, yieldToHost, onError })
  if (host === undefined) return search
  const beginWork = (work: string, fields: Readonly<Record<string, unknown>>): LongWork =>
    new LongWork({ clock, logger, showProgress }, work, fields)
  return new DatasetSearch({ ...deps, search, host, caches, logger, beginWork })
}

/**
 * @returns undefined: the light algorithm mines
 * @throws {NodeError} INVALID_OPTION when the host cannot compute datasets
 */
export function datasetHost({
  settings,
  openSealSearch,
  ethashDatasets,
}: Pick<SealSearchDeps, 'settings' | 'openSealSearch' | 'ethashDatasets'>): DatasetHost | undefined {
  if (settings.sealing.dag === 'light') return undefined
  if (ethashDatasets !== undefined && openSealSearch !== undefined) return ethashDatasets
  const text = '--miner-dag=full cannot be used: this runtime has no threads with shared memory'
  throw new NodeError({ code: 'INVALID_OPTION' }, text)
}
