import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../page/components/Button.tsx'
import { Dialog } from '../../page/components/Dialog.tsx'
import { Section } from '../../page/components/Page.tsx'
import { Empty, ErrorBox, Skeleton } from '../../page/components/states.tsx'
import { type Column, Table } from '../../page/components/Table.tsx'
import { byteSize, grouped } from '../../page/format/numbers.ts'
import { nameOf, queryOf } from '../address.ts'
import type { SavedChain } from '../node/commands.ts'
import type { WorkerNode } from '../node/workerNode.ts'
import { problemOf } from '../problems.ts'

export interface Saved {
  /** Undefined: they are being read. */
  readonly chains: readonly SavedChain[] | undefined
  readonly problem: string | undefined
  readonly remove: (database: string) => void
}

export function useSavedChains(node: WorkerNode): Saved {
  const [chains, setChains] = useState<readonly SavedChain[]>()
  const [problem, setProblem] = useState<string>()
  const readAfter = async (change?: Promise<void>): Promise<void> => {
    try {
      await change
      setProblem(undefined)
      setChains(await node.savedChains())
    } catch (error) {
      setChains((known) => known ?? [])
      setProblem(problemOf(error))
    }
  }
  useEffect(() => void readAfter(), [])
  return { chains, problem, remove: (database) => void readAfter(node.deleteChain(database)) }
}

const titleOf = (database: string): string => nameOf(database) ?? database

export function SavedChains({ saved: { chains, problem, remove } }: { readonly saved: Saved }): VNode {
  const [doomed, setDoomed] = useState<string>()
  const confirm = (database: string): void => {
    setDoomed(undefined)
    remove(database)
  }
  return (
    <Section title="Saved in this browser">
      {problem && <ErrorBox title="This did not work." text={problem} />}
      {chains === undefined ? (
        <Skeleton lines={3} />
      ) : chains.length === 0 ? (
        <Empty title="No chain is saved yet." />
      ) : (
        <Table label="Saved chains" columns={columns(setDoomed)} rows={chains} keyOf={({ database }) => database} />
      )}
      {doomed !== undefined && (
        <Dialog title={`Delete ${titleOf(doomed)}?`} onClose={() => setDoomed(undefined)}>
          <p>Its blocks, accounts and state cannot be brought back.</p>
          <p class="actions start-choice">
            <Button kind="danger" onClick={() => confirm(doomed)}>
              Delete
            </Button>
            <Button onClick={() => setDoomed(undefined)}>Keep</Button>
          </p>
        </Dialog>
      )}
    </Section>
  )
}

function columns(onDelete: (database: string) => void): readonly Column<SavedChain>[] {
  return [
    { title: 'Chain', render: ({ database }) => <ChainLink database={database} /> },
    { title: 'Chain id', isNumber: true, render: ({ chainId }) => chainId ?? 'unknown' },
    { title: 'Head', isNumber: true, render: ({ head }) => (head === undefined ? 'unknown' : grouped(head)) },
    { title: 'Size', isNumber: true, render: ({ bytes, isMore }) => `${isMore ? 'over ' : ''}${byteSize(bytes)}` },
    {
      title: '',
      isNumber: true,
      render: ({ database }) => (
        <Button label={`Delete ${titleOf(database)}`} onClick={() => onDelete(database)}>
          Delete
        </Button>
      ),
    },
  ]
}

/** A database of another page may have a name that no address can hold. */
function ChainLink({ database }: { readonly database: string }): VNode {
  const name = nameOf(database)
  return name === undefined ? <span>{database}</span> : <a href={queryOf({ chain: name })}>{name}</a>
}
