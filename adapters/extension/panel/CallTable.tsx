import type { VNode } from 'preact'
import { plainText } from '../../../src/abi/plainText.ts'
import type { RecordedCall } from '../../../src/replay/recording.ts'
import { Badge } from '../../page/components/Badge.tsx'
import { VirtualList } from '../../page/components/VirtualList.tsx'
import { byteSize } from '../../page/format/numbers.ts'
import type { Mark } from '../recording/marks.ts'
import type { Entry } from '../recording/recorder.ts'
import { blockOf, callText, errorText } from './meaning.ts'

export interface Row extends Entry {
  readonly mark: Mark | undefined
}

interface Props {
  readonly rows: readonly Row[]
  readonly selected: number | undefined
  readonly onSelect: (key: number) => void
}

const ROW_HEIGHT = 26
const MAX_TEXT = 120
const TITLES = ['Method', 'Call', 'Block', 'Time', 'Size', 'Answer', 'Waterfall'] as const

/** Calls in the order in which they began. The bars show when each one ran, on the time of all that are listed. */
export function CallTable({ rows, selected, onSelect }: Props): VNode {
  const start = rows[0]?.call.at ?? 0
  const end = rows.reduce((last, { call }) => Math.max(last, call.at + (call.durationMs ?? 0)), start + 1)
  if (rows.length === 0) return <p class="muted">No calls yet.</p>
  return (
    <>
      <div class="call call-titles" aria-hidden="true">
        {TITLES.map((title) => (
          <span key={title}>{title}</span>
        ))}
      </div>
      <VirtualList
        label="Calls"
        count={rows.length}
        rowHeight={ROW_HEIGHT}
        renderRow={(index) => {
          const row = rows[index] as Row
          return (
            <button
              type="button"
              class={`call ${row.call.error === undefined ? '' : 'failed'}`}
              aria-pressed={row.key === selected}
              onClick={() => onSelect(row.key)}
            >
              <Cells row={row} start={start} length={end - start} />
            </button>
          )
        }}
      />
    </>
  )
}

function Cells({ row, start, length }: { readonly row: Row; readonly start: number; readonly length: number }): VNode {
  const { call, mark } = row
  const { method, at, durationMs, size } = call
  return (
    <>
      <span class="method">{plainText(method, MAX_TEXT)}</span>
      <span class="call-text">
        {mark && <Badge tone="note">{mark}</Badge>} {callText(call)}
      </span>
      <span>{blockOf(call) ?? ''}</span>
      <span class="number">{durationMs === undefined ? '…' : `${durationMs.toFixed(1)} ms`}</span>
      <span class="number">{size === undefined ? '' : byteSize(size)}</span>
      <span class="outcome">{outcomeText(call)}</span>
      <svg class="waterfall" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect
          x={(100 * (at - start)) / length}
          width={Math.max(0.5, (100 * (durationMs ?? 0)) / length)}
          y="0"
          height="1"
        />
      </svg>
    </>
  )
}

function outcomeText(call: RecordedCall): string {
  if (call.error !== undefined) return errorText(call.error)
  if (call.omitted !== undefined) return call.omitted === 'secret' ? 'not recorded' : 'too long'
  if (!('result' in call)) return ''
  const { result } = call
  return plainText(typeof result === 'string' ? result : (JSON.stringify(result) ?? ''), MAX_TEXT)
}
