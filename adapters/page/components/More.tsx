import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { grouped } from '../format/numbers.ts'
import { Button } from './Button.tsx'

interface Props<T> {
  readonly rows: readonly T[]
  readonly step?: number
  readonly children: (shown: readonly T[]) => ComponentChildren
}

/** Shows the first rows of a long list, and more when the reader asks. */
export function More<T>({ rows, step = 50, children }: Props<T>): VNode {
  const [shown, setShown] = useState(step)
  return (
    <>
      {children(rows.slice(0, shown))}
      {shown < rows.length && (
        <p class="more">
          {grouped(shown)} of {grouped(rows.length)}. <Button onClick={() => setShown(shown + step)}>Show more</Button>
        </p>
      )}
    </>
  )
}
