import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { grouped } from '../../format/numbers.ts'
import { theme } from '../../state/theme.ts'
import type { Series } from './points.ts'

interface Props {
  readonly series: Series
  /** Numbers of the blocks. */
  readonly blocks: readonly number[]
  /** Called with the blocks of a part that the reader marks. */
  readonly onZoom: (from: number, to: number) => void
}

const HEIGHT = 180
/** Of a marked part, in px; less is a click. */
const MIN_ZOOM = 8

/** One line over block numbers. The values are in the table of the view too. */
export function Chart({ series, blocks, onZoom }: Props): VNode {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const zoom = useRef(onZoom)
  zoom.current = onZoom
  const [at, setAt] = useState<number>()

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const options = optionsOf(element, series, setAt, (from, to) => zoom.current(from, to))
    const made = new uPlot(options, [[...blocks], [...series.values]], element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [theme.value, series.id])
  useEffect(() => plot.current?.setData([[...blocks], [...series.values]]), [blocks, series])

  return (
    <section class="card">
      <header class="card-head">
        <h2>{series.title}</h2>
        <span class="muted">{readout(series, blocks, at)}</span>
      </header>
      <div ref={box} class="chart" role="img" aria-label={summaryOf(series)} />
    </section>
  )
}

/** The value under the pointer, else the last one. */
function readout({ values, format }: Series, blocks: readonly number[], at: number | undefined): string {
  const i = at ?? values.length - 1
  const [value, block] = [values[i], blocks[i]]
  return value == null || block === undefined ? '' : `block ${grouped(block)}: ${format(value)}`
}

function summaryOf({ title, values, format }: Series): string {
  const known = values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return `${title}: between ${format(low)} and ${format(high)}. The values are in the table below.`
}

function optionsOf(
  element: HTMLElement,
  { format }: Series,
  onCursor: (at: number | undefined) => void,
  onZoom: (from: number, to: number) => void,
): uPlot.Options {
  const [accent, muted, line] = ['--accent', '--muted', '--line'].map((name) => colourOf(element, name))
  const axis = { stroke: muted ?? '', grid: { stroke: line ?? '', width: 1 }, ticks: { stroke: line ?? '', width: 1 } }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => yRange(low, high) } },
    axes: [
      { ...axis, size: 28, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? grouped(tick) : '')) },
      { ...axis, size: 76, values: (_, ticks) => ticks.map(format) },
    ],
    series: [{}, { stroke: accent ?? '', width: 1.5, points: { show: false }, spanGaps: false }],
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
      setSelect: [
        (made) => {
          const { left, width } = made.select
          if (width < MIN_ZOOM) return
          onZoom(Math.floor(made.posToVal(left, 'x')), Math.ceil(made.posToVal(left + width, 'x')))
          made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

/** From zero, with some room above. */
function yRange(_low: number | null, high: number | null): uPlot.Range.MinMax {
  return [0, high === null || high <= 0 ? 1 : high * 1.1]
}

/** A canvas takes no variables of CSS, and none with a colour for each theme. */
function colourOf(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.color = before
  return color
}
