/**
 * Times of blocks, which are seconds of Unix time.
 * @module
 */

const STEPS: readonly (readonly [unit: string, seconds: number])[] = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['day', 86_400],
  ['hour', 3600],
  ['min', 60],
]

/** `5 min ago`, `in 2 days`, `just now`. The clock of a dev chain may be far from that of the browser. */
export function relativeTime(seconds: number, nowSeconds: number): string {
  const distance = Math.abs(nowSeconds - seconds)
  if (distance < 3) return 'just now'
  const text = duration(distance)
  return seconds <= nowSeconds ? `${text} ago` : `in ${text}`
}

/** The largest unit only: `3 days`. */
export function duration(seconds: number): string {
  for (const [unit, size] of STEPS) {
    const units = Math.floor(seconds / size)
    if (units >= 1) return unit === 'min' || units === 1 ? `${units} ${unit}` : `${units} ${unit}s`
  }
  return `${Math.floor(seconds)} s`
}

/** `2026-11-28 01:22:32 UTC`. */
export function exactTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return `second ${seconds}`
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
