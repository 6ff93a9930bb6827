import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly count: number
  /** in px; all rows have it */
  readonly rowHeight: number
  /** Rows that are visible at once; the list is never higher. */
  readonly maxRows?: number
  readonly renderRow: (index: number) => ComponentChildren
  /** Is scrolled into view when it changes. */
  readonly active?: number | undefined
}

const OVERSCAN = 8
/** Rows that stay visible above and below the active one. */
const MARGIN_ROWS = 3
/** Browsers cannot make an element of any height. */
const MAX_HEIGHT = 8_000_000

/**
 * Renders only the rows that are in sight. Beyond the height that browsers allow, a scrolled pixel stands for more than
 * one.
 */
export function VirtualList({ label, count, rowHeight, maxRows = 20, renderRow, active }: Props): VNode {
  const box = useRef<HTMLElement>(null)
  const [top, setTop] = useState(0)
  const viewHeight = Math.min(count, maxRows) * rowHeight
  const height = Math.min(count * rowHeight, MAX_HEIGHT)
  const scale = height > viewHeight ? (count * rowHeight - viewHeight) / (height - viewHeight) : 1
  const virtualTop = top * scale
  const first = Math.max(0, Math.floor(virtualTop / rowHeight) - OVERSCAN)
  const last = Math.min(count, Math.ceil((virtualTop + viewHeight) / rowHeight) + OVERSCAN)

  const margin = Math.min(MARGIN_ROWS, Math.floor(maxRows / 4)) * rowHeight
  useEffect(() => {
    if (active === undefined || active < 0 || box.current === null) return
    const above = active * rowHeight
    // The browser may have moved what the last event told.
    const shownTop = box.current.scrollTop * scale
    const isVisible = above >= shownTop + Math.min(margin, above) && above + rowHeight + margin <= shownTop + viewHeight
    if (isVisible) return
    box.current.scrollTop = Math.max(0, above - viewHeight / 2) / scale
    // The event comes late, or not at all before the first painting.
    setTop(box.current.scrollTop)
  }, [active, count])

  return (
    <section
      ref={box}
      class="virtual"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ height: `${viewHeight}px` }}
      onKeyDown={moveBetweenRows}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div class="virtual-space" style={{ height: `${height}px` }}>
        <div class="virtual-rows" style={{ transform: `translateY(${top + first * rowHeight - virtualTop}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => (
            <div key={first + i} class="virtual-row" style={{ height: `${rowHeight}px` }}>
              {renderRow(first + i)}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

/** Up and down move the focus to the same button of another row, so that a row needs no stop for the Tab key. */
function moveBetweenRows(event: KeyboardEvent): void {
  const { key, target } = event
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  const row = target instanceof HTMLButtonElement ? target.closest('.virtual-row') : null
  if (step === 0 || row === null) return
  const place = [...row.querySelectorAll('button')].indexOf(target as HTMLButtonElement)
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling
  const button = next?.querySelectorAll('button')[place]
  if (button === undefined) return
  event.preventDefault()
  button.focus()
}
