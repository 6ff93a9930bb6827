import { describe, expect, it } from 'vitest'
import { MemoryMetrics } from '../../../../src/base/ports/memoryMetrics.ts'
import { noMetrics } from '../../../../src/base/ports/metrics.ts'

const requests = { category: 'RPC', name: 'requests_total', help: 'Requests.' } as const

describe('metrics in memory', () => {
  it('returns the same series for the same name and labels, in any order', () => {
    const metrics = new MemoryMetrics()
    metrics.counter(requests, { method: 'a', transport: 'http' }).add()
    metrics.counter(requests, { transport: 'http', method: 'a' }).add(2)
    metrics.counter(requests, { method: 'b', transport: 'http' }).add()
    expect(metrics.series).toMatchObject([
      { kind: 'counter', name: 'requests_total', labels: { method: 'a' }, value: 3 },
      { labels: { method: 'b' }, value: 1 },
    ])
  })

  it('sets gauges and sorts values into buckets', () => {
    const metrics = new MemoryMetrics()
    metrics.gauge({ category: 'BLOCKCHAIN', name: 'height', help: '' }).set(7)
    const seconds = metrics.histogram({ category: 'RPC', name: 'seconds', help: '', buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value)
    const [gauge, histogram] = metrics.series
    expect(gauge).toMatchObject({ kind: 'gauge', value: 7 })
    expect(histogram).toMatchObject({ kind: 'histogram', count: 4, counts: [2, 1, 1], sum: expect.closeTo(3.65) })
  })

  it('has a bound: further series measure nothing and are counted', () => {
    const metrics = new MemoryMetrics({ maxSeries: 2 })
    for (const method of ['a', 'b', 'c']) metrics.counter(requests, { method }).add()
    metrics.histogram({ category: 'RPC', name: 'seconds', help: '', buckets: [] }).observe(1)
    metrics.counter(requests, { method: 'a' }).add()
    expect(metrics.series.map((series) => 'value' in series && series.value)).toEqual([2, 1])
    expect(metrics.refused).toBe(2)
  })

  it('records nothing in categories that are off', () => {
    const metrics = new MemoryMetrics({ categories: new Set(['EVM']) })
    metrics.counter(requests).add()
    metrics.histogram({ ...requests, buckets: [1] }).observe(1)
    metrics.gauge({ category: 'EVM', name: 'running', help: '' }).set(1)
    expect(metrics.series.map(({ name }) => name)).toEqual(['running'])
  })

  it('updates series just before they are read', () => {
    const metrics = new MemoryMetrics()
    let height = 1
    const gauge = metrics.gauge({ category: 'BLOCKCHAIN', name: 'height', help: '' })
    metrics.onRead(() => gauge.set(height))
    expect(metrics.series).toMatchObject([{ value: 1 }])
    height = 7
    expect(metrics.series).toMatchObject([{ value: 7 }])
  })

  it('refuses a name of another kind', () => {
    const metrics = new MemoryMetrics()
    metrics.counter(requests)
    expect(() => metrics.gauge(requests)).toThrow(expect.objectContaining({ code: 'METRIC_KIND' }))
    expect(() => metrics.histogram({ ...requests, buckets: [] })).toThrow('is a counter')
  })
})

it('no metrics measure nothing', () => {
  let reads = 0
  noMetrics.onRead(() => reads++)
  const results = [
    noMetrics.counter(requests).add(),
    // The same name is refused by metrics that keep values.
    noMetrics.gauge(requests).set(1),
    noMetrics.histogram({ ...requests, buckets: [] }).observe(1),
  ]
  expect([results, reads, 'series' in noMetrics]).toEqual([[undefined, undefined, undefined], 0, false])
})
