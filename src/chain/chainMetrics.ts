import type { Counter, Gauge, Histogram, Metrics } from '../ports/metrics.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Metrics of the writer's commits. */
export class ChainMetrics {
  readonly commits: Counter
  readonly commitSeconds: Histogram
  /** Number of keys written or deleted. */
  readonly mutations: Counter
  readonly reorganisations: Counter
  readonly height: Gauge

  constructor(metrics: Metrics) {
    this.commits = metrics.counter({ name: 'blockchain_commits_total', help: 'Committed batches.' })
    this.commitSeconds = metrics.histogram({
      name: 'blockchain_commit_seconds',
      help: 'Time that the store needs to commit a batch.',
      buckets: SECONDS,
    })
    this.mutations = metrics.counter({
      name: 'blockchain_committed_keys_total',
      help: 'Keys written or deleted.',
    })
    this.reorganisations = metrics.counter({
      name: 'blockchain_reorganisations_total',
      help: 'Changes of the head that removed blocks.',
    })
    this.height = metrics.gauge({ name: 'blockchain_height', help: 'Block number of the head.' })
  }
}
