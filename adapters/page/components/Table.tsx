import type { ComponentChildren, VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { rowSlots } from './rowSlots.ts'

export interface Column<T> {
  readonly title: string
  readonly render: (row: T) => ComponentChildren
  /** Numbers stand right, so that their digits are aligned. */
  readonly isNumber?: boolean
}

interface Props<T> {
  /** Name of the rows for screen readers: `Latest blocks`. */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Marks a row, such as one that a reorganisation removed. */
  readonly toneOf?: (row: T) => 'bad' | 'removed' | undefined
  /** For rows that follow the head: one that comes takes the elements of one that goes. Cells must not hold state. */
  readonly isLive?: boolean
}

/** A table that becomes a list of cards where it is narrow. `j` and `k` go through its rows. */
export function Table<T>({ label, columns, rows, keyOf, toneOf, isLive = false }: Props<T>): VNode {
  const table = useRef<HTMLTableElement>(null)
  const slots = useRef<ReadonlyMap<string, number>>(new Map())
  if (isLive) {
    // A reader who points at a row or has the focus in it must not find another one in its place.
    const isHeld = table.current?.matches(':hover, :focus-within') ?? false
    slots.current = rowSlots(rows.map(keyOf), slots.current, isHeld)
  }
  return (
    <table ref={table} class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={isLive ? slots.current.get(keyOf(row)) : keyOf(row)} data-row="" class={toneOf?.(row)}>
            {columns.map(({ title, render, isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                {render(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
