/**
 * Pushes metrics to a Pushgateway of Prometheus at an interval, and deletes them when the node stops.
 * @see https://github.com/prometheus/pushgateway#api
 * @module
 */

import { METRICS_PUSH_TIMEOUT_MS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { MetricsReader } from '../../../src/base/ports/metrics.ts'
import type { Timer, Timers } from '../../../src/base/ports/timers.ts'
import { urlOf } from '../../../src/base/primitives/hostPort.ts'
import { METRICS_CONTENT_TYPE, metricsText } from '../../../src/http/metricsText.ts'

export interface MetricsPushDeps {
  readonly metrics: MetricsReader
  readonly timers: Timers
  readonly logger: Logger
  /** Address of the gateway. */
  readonly host: string
  readonly port: number
  readonly job: string
  readonly intervalMs: number
}

export class MetricsPush {
  readonly #options: MetricsPushDeps
  readonly #url: string
  #timer: Timer | undefined
  #isFailing = false
  #pending: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: MetricsPushDeps) {
    const { job } = options
    this.#options = options
    this.#url = `${urlOf('http', options)}/metrics/job/${encodeURIComponent(job)}`
    this.#schedule()
  }

  /** Waits for a push in progress, then deletes the metrics of the job. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#pending
    await this.#send('DELETE')
  }

  #schedule(): void {
    this.#timer = this.#options.timers.schedule(this.#options.intervalMs, () => {
      this.#pending = this.#send('POST').then(() => {
        if (!this.#isClosed) this.#schedule()
      })
    })
  }

  /** Never rejects: a failure is logged once, until a push succeeds again. */
  async #send(method: 'POST' | 'DELETE'): Promise<void> {
    const { metrics, logger } = this.#options
    try {
      const response = await fetch(this.#url, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(METRICS_PUSH_TIMEOUT_MS),
        ...(method === 'POST'
          ? { body: metricsText(metrics.series), headers: { 'Content-Type': METRICS_CONTENT_TYPE } }
          : {}),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the gateway answered with status ${response.status}`)
      if (this.#isFailing) logger.info('metrics are pushed again', { url: this.#url })
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) logger.warn('cannot push metrics', { url: this.#url, reason: reasonOf(error) })
      this.#isFailing = true
    }
  }
}

/** fetch hides the reason of a failed connection in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const first = cause instanceof Error && cause.message !== '' ? cause : error
  return first instanceof Error ? first.message : String(first)
}
