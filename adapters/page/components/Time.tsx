import type { VNode } from 'preact'
import { exactTime, relativeTime } from '../format/time.ts'
import { nowSeconds } from '../state/clock.ts'

interface Props {
  /** Unix time */
  readonly seconds: number
}

/** A relative time; the exact one appears on hover and focus. */
export function Time({ seconds }: Props): VNode {
  const exact = exactTime(seconds)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is shown on focus
    <time class="tip" tabIndex={0} data-tip={exact}>
      {relativeTime(seconds, nowSeconds.value)}
      <span class="visually-hidden">, {exact}</span>
    </time>
  )
}
