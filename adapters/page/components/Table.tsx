import type { ComponentChildren, VNode } from 'preact'

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
}

/** A table that becomes a list of cards where it is narrow. `j` and `k` go through its rows. */
export function Table<T>({ label, columns, rows, keyOf, toneOf }: Props<T>): VNode {
  return (
    <table class="table" aria-label={label}>
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
          <tr key={keyOf(row)} data-row="" class={toneOf?.(row)}>
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
