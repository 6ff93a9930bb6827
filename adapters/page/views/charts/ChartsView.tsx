import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { More } from '../../components/More.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import { exactTime } from '../../format/time.ts'
import type { ViewProps } from '../../routes.ts'
import { epoch, head } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { Chart } from './Chart.tsx'
import { type Point, Points, type Series, seriesOf } from './points.ts'
import { RangeForm } from './RangeForm.tsx'
import { readRange, sampled, stepOf } from './range.ts'

export default function ChartsView({ search }: ViewProps): VNode {
  const latest = head.value
  return (
    <Page title="Charts">
      {latest === undefined ? <Skeleton lines={8} /> : <Charts search={search} latest={count(latest.number)} />}
    </Page>
  )
}

interface Props {
  readonly search: URLSearchParams
  readonly latest: number
}

function Charts({ search, latest }: Props): VNode {
  const points = useMemo(() => new Points(), [epoch.value])
  const range = readRange(search, latest)
  const key = range.isLive ? `last ${search.get('last')}` : `${range.from} to ${range.to}`
  const query = useQuery<readonly Point[]>(
    `charts ${key}`,
    (ask) => points.load(ask, sampled(readRange(search, count(head.peek()?.number)))),
    { isLive: range.isLive },
  )
  const zoom = (from: number, to: number): void => setSearch({ from: `${from}`, to: `${to}`, last: undefined })
  const step = stepOf(range)
  return (
    <div class="stack">
      <RangeForm key={search.toString()} range={range} latest={latest} />
      <p class="muted">
        Blocks {grouped(range.from)} to {grouped(range.to)}
        {step > 1 && `; each ${grouped(step)}th block is drawn`}. Mark a part of a chart to see it larger.
      </p>
      <Answer query={query} what="the blocks of the range" skeleton={<Skeleton lines={16} />}>
        {(list) => (list.length < 2 ? <TooFew /> : <ChartList points={list} onZoom={zoom} />)}
      </Answer>
    </div>
  )
}

function TooFew(): VNode {
  return (
    <Empty title="A chart needs at least two blocks.">
      <Button onClick={() => setSearch({ from: undefined, to: undefined, last: undefined })}>Latest blocks</Button>
    </Empty>
  )
}

interface ListProps {
  readonly points: readonly Point[]
  readonly onZoom: (from: number, to: number) => void
}

function ChartList({ points, onZoom }: ListProps): VNode {
  const [series, blocks] = useMemo(() => [seriesOf(points), points.map(({ number }) => number)] as const, [points])
  return (
    <>
      <div class="columns">
        {series.map((one) => (
          <Chart key={one.id} series={one} blocks={blocks} onZoom={onZoom} />
        ))}
      </div>
      <details class="card">
        <summary>The values as a table</summary>
        <ValueTable points={points} series={series} />
      </details>
    </>
  )
}

function ValueTable({
  points,
  series,
}: {
  readonly points: readonly Point[]
  readonly series: readonly Series[]
}): VNode {
  const rows = points.map((point, i) => ({ point, i })).toReversed()
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      title: 'Block',
      render: ({ point: { number } }) => <a href={`#/block/${number}`}>{grouped(number)}</a>,
    },
    { title: 'Time', render: ({ point }) => exactTime(point.time) },
    ...series.map(({ title, values, format }) => ({
      title,
      isNumber: true,
      render: ({ i }: { readonly i: number }) => {
        const value = values[i]
        return value == null ? '–' : format(value)
      },
    })),
  ]
  return (
    <More rows={rows}>
      {(shown) => (
        <Table label="Values of the charts" columns={columns} rows={shown} keyOf={({ point }) => `${point.number}`} />
      )}
    </More>
  )
}
