import { expect, it } from 'vitest'
import { MemoryMetrics } from '../../../src/base/ports/memoryMetrics.ts'
import { exportedName, metricsText } from '../../../src/http/metricsText.ts'

it('writes counters, gauges and cumulative buckets, all series of a metric together', () => {
  const metrics = new MemoryMetrics()
  const requests = { category: 'RPC', name: 'requests_total', help: 'Requests.' } as const
  metrics.counter(requests, { methodName: 'eth_call' }).add(3)
  metrics.gauge({ category: 'ETHEREUM', name: 'blockchain_height', help: 'Height.' }).set(7)
  metrics.counter(requests, { methodName: 'eth_chainId' }).add()
  const time = metrics.histogram({ category: 'RPC', name: 'request_time', help: 'Time.', buckets: [0.1, 1] })
  for (const value of [0.05, 0.5, 0.5, 7]) time.observe(value)
  expect(metricsText(metrics.series)).toBe(
    [
      '# HELP besu_rpc_requests_total Requests.',
      '# TYPE besu_rpc_requests_total counter',
      'besu_rpc_requests_total{methodName="eth_call"} 3',
      'besu_rpc_requests_total{methodName="eth_chainId"} 1',
      '# HELP ethereum_blockchain_height Height.',
      '# TYPE ethereum_blockchain_height gauge',
      'ethereum_blockchain_height 7',
      '# HELP besu_rpc_request_time Time.',
      '# TYPE besu_rpc_request_time histogram',
      'besu_rpc_request_time_bucket{le="0.1"} 1',
      'besu_rpc_request_time_bucket{le="1"} 3',
      'besu_rpc_request_time_bucket{le="+Inf"} 4',
      'besu_rpc_request_time_sum 8.05',
      'besu_rpc_request_time_count 4',
      '',
    ].join('\n'),
  )
})

it('escapes help and labels, and writes values that are not finite', () => {
  const metrics = new MemoryMetrics()
  metrics.gauge({ category: 'EVM', name: 'x', help: 'a\\b\nc' }, { text: '"\\\n' }).set(Number.NaN)
  metrics.gauge({ category: 'EVM', name: 'y', help: '' }).set(Number.NEGATIVE_INFINITY)
  expect(metricsText(metrics.series)).toContain('# HELP besu_evm_x a\\\\b\\nc\n')
  expect(metricsText(metrics.series)).toContain('besu_evm_x{text="\\"\\\\\\n"} NaN\n')
  expect(metricsText(metrics.series)).toContain('besu_evm_y -Inf\n')
})

it('selects metrics by name', () => {
  const metrics = new MemoryMetrics()
  metrics.counter({ category: 'RPC', name: 'a_total', help: '' }).add()
  metrics.counter({ category: 'PROCESS', name: 'b_total', help: '' }).add()
  expect(metrics.series.map(exportedName)).toEqual(['besu_rpc_a_total', 'process_b_total'])
  expect(metricsText(metrics.series, ['process_b_total', 'unknown'])).toMatch(/^# HELP process_b_total .*\n.*\n.* 1\n$/)
})
