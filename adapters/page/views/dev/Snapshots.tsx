import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { grouped } from '../../format/numbers.ts'
import { useAction } from '../../state/action.ts'
import { request } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { changed, changes, type Metadata } from './settings.ts'

interface Row {
  readonly id: string
  readonly number: number
  readonly hash: string
}

/** Snapshots of all clients of the node, newest first. */
export function Snapshots(): VNode {
  const query = useQuery<readonly Row[]>(
    `snapshots ${changes.value}`,
    async (ask) => rowsOf(await ask<Metadata>('anvil_metadata')),
    { isLive: true },
  )
  const { isBusy, error, run } = useAction()
  const take = (): void =>
    run(async () => {
      const id = await request<string>('evm_snapshot')
      changed()
      return `Snapshot ${Number(id)} is taken.`
    })
  const revert = (id: string): void =>
    run(async () => {
      const isDone = await request<boolean>('evm_revert', [id])
      changed()
      return isDone ? `The chain is back at snapshot ${Number(id)}.` : `There is no snapshot ${Number(id)} any longer.`
    })
  return (
    <Section
      title="Snapshots"
      actions={
        <Button kind="primary" isBusy={isBusy} onClick={take}>
          Take a snapshot
        </Button>
      }
    >
      <p class="muted">
        Chain, state, time and pool. To return to a snapshot removes it and all later ones, and the blocks since.
      </p>
      {error && <p class="error-text">{error}</p>}
      <Answer query={query} what="the snapshots">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No snapshots yet." />
          ) : (
            <Table label="Snapshots" columns={columns(revert, isBusy)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Answer>
    </Section>
  )
}

function rowsOf({ snapshots = {} }: Metadata): Row[] {
  return Object.entries(snapshots)
    .map(([id, [number, hash]]) => ({ id, number, hash }))
    .sort((a, b) => Number(b.id) - Number(a.id))
}

function columns(revert: (id: string) => void, isBusy: boolean): readonly Column<Row>[] {
  return [
    { title: 'Snapshot', render: ({ id }) => Number(id) },
    { title: 'Head', render: ({ number }) => <a href={`#/block/${number}`}>{grouped(number)}</a> },
    { title: 'Hash', render: ({ hash }) => <Hash value={hash} kind="block" /> },
    {
      title: '',
      isNumber: true,
      render: ({ id }) => (
        <Button isBusy={isBusy} label={`Return to snapshot ${Number(id)}`} onClick={() => revert(id)}>
          Return
        </Button>
      ),
    },
  ]
}
