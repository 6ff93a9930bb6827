import type { MetricSeries, MetricsReader } from '../../../base/ports/metrics.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly metrics?: MetricsReader | undefined
}

interface Tree {
  [key: string]: Tree | number
}

const metricTree = answerCodec<readonly MetricSeries[]>(
  {
    title: 'Metrics',
    type: 'object',
    description: 'Category, then name, then one level for each label. The values of a histogram are cumulative counts.',
    additionalProperties: { type: 'object' },
  },
  (series) => {
    const tree: Tree = {}
    for (const each of series) {
      const path = [each.category.toLowerCase(), each.name, ...Object.values(each.labels)]
      const leaf = path.pop() as string
      branchAt(tree, path)[leaf] = each.kind === 'histogram' ? timer(each) : each.value
    }
    return tree
  },
)

function branchAt(tree: Tree, path: readonly string[]): Tree {
  let branch = tree
  for (const key of path) {
    const next = Object.hasOwn(branch, key) ? branch[key] : undefined
    if (typeof next === 'object') branch = next
    else {
      const added: Tree = {}
      branch[key] = added
      branch = added
    }
  }
  return branch
}

function timer({ counts, buckets, count, sum }: Extract<MetricSeries, { kind: 'histogram' }>): Tree {
  const bucket: Record<string, number> = {}
  let total = 0
  counts.forEach((each, i) => {
    total += each
    bucket[String(buckets[i] ?? '+Inf')] = total
  })
  return { bucket, count, sum }
}

export const metrics: MethodDefinition<Backend> = defineMethod({
  name: 'debug_metrics',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Metrics by category and name; empty while metrics are off.',
  params: [],
  result: result('metrics', metricTree),
  handler: (backend: Backend) => backend.metrics?.series ?? [],
})
