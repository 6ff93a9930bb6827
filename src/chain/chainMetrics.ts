import { type Counter, DURATION_BUCKETS, type Histogram, type Metrics } from '../base/ports/metrics.ts'

/** Metrics of the writer's commits. */
export class ChainMetrics {
  readonly commits: Counter
  readonly commitSeconds: Histogram
  /** Number of keys written or deleted. */
  readonly mutations: Counter
  readonly reorganisations: Counter

  constructor(metrics: Metrics) {
    this.commits = metrics.counter({ category: 'STORE', name: 'commits_total', help: 'Committed batches.' })
    this.commitSeconds = metrics.histogram({
      category: 'STORE',
      name: 'commit_seconds',
      help: 'Time that the store needs to commit a batch.',
      buckets: DURATION_BUCKETS,
    })
    this.mutations = metrics.counter({
      category: 'STORE',
      name: 'committed_keys_total',
      help: 'Keys written or deleted.',
    })
    this.reorganisations = metrics.counter({
      category: 'BLOCKCHAIN',
      name: 'chain_reorgs_total',
      help: 'Changes of the head that removed blocks.',
    })
  }
}
