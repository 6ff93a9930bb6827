import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { isShown, KINDS, type Kind } from '../recording/filters.ts'
import { marksOf } from '../recording/marks.ts'
import { CallDetail } from './CallDetail.tsx'
import { CallTable, type Row } from './CallTable.tsx'
import { Controls } from './Controls.tsx'
import { callText } from './meaning.ts'
import { entries } from './session.ts'

export function Panel(): VNode {
  const [kind, setKind] = useState<Kind>('all')
  const [text, setText] = useState('')
  const [selected, setSelected] = useState<number>()
  const list = entries.value
  const marks = useMemo(() => marksOf(list.map(({ call }) => call)), [list])
  const rows: readonly Row[] = useMemo(
    () =>
      list
        .map((entry, i) => ({ ...entry, mark: marks.get(i) }))
        .filter(({ call, mark }) => isShown(call, { kind, text }, mark, callText)),
    [list, marks, kind, text],
  )
  const open = list.find(({ key }) => key === selected)
  return (
    <main class="panel-main">
      <h1 class="visually-hidden">Calls of the page</h1>
      <Controls />
      <div class="row filters">
        <input
          type="search"
          aria-label="Filter the calls"
          placeholder="Filter: method, function, address"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <select
          aria-label="Kind of the calls"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
        >
          {KINDS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <output>
          {rows.length} of {list.length} calls
        </output>
      </div>
      <CallTable rows={rows} selected={selected} onSelect={setSelected} />
      {open && <CallDetail key={open.key} call={open.call} mark={marks.get(list.indexOf(open))} />}
    </main>
  )
}
