import type { VNode } from 'preact'
import { Answer } from '../../../components/Answer.tsx'
import { Meter } from '../../../components/Meter.tsx'
import { Section } from '../../../components/Page.tsx'
import { type Column, Table } from '../../../components/Table.tsx'
import { grouped } from '../../../format/numbers.ts'
import { useQuery } from '../../../state/query.ts'

interface LineCost {
  readonly path: string
  readonly line: number
  readonly gas: number
  readonly steps: number
}

const SHOWN = 40

/** The most expensive lines of source up to the end of the transaction. */
export function LineCosts({ hash }: { readonly hash: string }): VNode {
  const query = useQuery<readonly LineCost[]>(`lines ${hash}`, async (ask) => {
    const last = await ask<{ readonly index: number } | null>('debug_findStep', hash, {
      from: 'end',
      direction: 'backward',
      where: {},
    })
    if (last === null) return null
    const { lines } = await ask<{ readonly lines: readonly LineCost[] }>('isonode_debugView', hash, last.index)
    return lines.toSorted((a, b) => Number(b.gas) - Number(a.gas)).slice(0, SHOWN)
  })
  const most = Number(query.data?.[0]?.gas ?? 0)
  const columns: readonly Column<LineCost>[] = [
    { title: 'Line', render: ({ path, line }) => <code>{`${path}:${line}`}</code> },
    { title: 'Gas', isNumber: true, render: ({ gas }) => grouped(Number(gas)) },
    { title: 'Steps', isNumber: true, render: ({ steps }) => grouped(steps) },
    { title: 'Beside the first', render: ({ gas }) => <Meter label="Gas" value={Number(gas)} total={most} /> },
  ]
  return (
    <Section title="By line of source">
      <Answer query={query} what="the gas of each line" gone="The transaction executed no code.">
        {(rows) =>
          rows.length === 0 ? (
            <p class="muted">No source of the executed code is known.</p>
          ) : (
            <Table label="Gas by line" columns={columns} rows={rows} keyOf={({ path, line }) => `${path}:${line}`} />
          )
        }
      </Answer>
    </Section>
  )
}
