import type { VNode } from 'preact'

interface Props {
  /** Name of the values: `Gas used by the last 32 blocks`. */
  readonly label: string
  /** Oldest first. */
  readonly values: readonly number[]
  /** At the top of the chart; default: the largest value */
  readonly max?: number
}

const WIDTH = 120
const HEIGHT = 32

/** A small line without axes. */
export function Sparkline({ label, values, max = Math.max(...values, 0) }: Props): VNode {
  const step = WIDTH / Math.max(1, values.length - 1)
  const y = (value: number): number => HEIGHT - 2 - (max > 0 ? Math.min(1, value / max) * (HEIGHT - 4) : 0)
  const points = values.map((value, i) => `${(i * step).toFixed(1)} ${y(value).toFixed(1)}`)
  const line = points.length === 0 ? '' : `M${points.join('L')}`
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {points.length > 1 && <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />}
      <path class="line" d={line} />
    </svg>
  )
}
