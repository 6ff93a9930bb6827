/**
 * Answers of the metrics port: `GET /metrics` for Prometheus; 201 without a body for `GET /`, 404 for other paths.
 * @module
 */
import type { MetricsReader } from '../base/ports/metrics.ts'
import { METRICS_CONTENT_TYPE, metricsText } from './metricsText.ts'
import { type Answer, type HttpPolicy, NOT_FOUND_BODY, type RequestFacts } from './policy.ts'

/** @param query of the URL, without the question mark; `name[]=x` selects metrics and may be repeated */
export function answerMetrics(policy: HttpPolicy, metrics: MetricsReader, facts: RequestFacts, query: string): Answer {
  const decision = policy.decide(facts)
  if (decision.kind === 'answer') return decision
  const { headers } = decision
  if (facts.path !== '/metrics') {
    return answer(404, { 'Content-Type': 'text/html; charset=utf-8', ...headers }, NOT_FOUND_BODY)
  }
  if (facts.method !== 'GET' && facts.method !== 'HEAD') return answer(405, { ...headers, Allow: 'GET, HEAD' }, '')
  const names = new URLSearchParams(query).getAll('name[]')
  const text = metricsText(metrics.series, names)
  return answer(200, { 'Content-Type': METRICS_CONTENT_TYPE, ...headers }, text)
}

function answer(status: number, headers: Readonly<Record<string, string>>, body: string): Answer {
  return { kind: 'answer', status, headers, body }
}
