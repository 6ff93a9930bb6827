import type { VNode } from 'preact'
import { percent, ratio } from '../format/numbers.ts'

interface Props {
  readonly label: string
  readonly value: bigint | number
  readonly total: bigint | number
}

/** A bar with its share as text. */
export function Meter({ label, value, total }: Props): VNode {
  return (
    <span class="meter">
      <meter aria-label={label} min={0} max={1} value={ratio(value, total)} />
      <span class="meter-text">{percent(value, total)}</span>
    </span>
  )
}
