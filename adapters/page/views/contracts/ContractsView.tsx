import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Badge } from '../../components/Badge.tsx'
import { More } from '../../components/More.tsx'
import { Page, Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { useQuery } from '../../state/query.ts'
import { AddressList } from './AddressList.tsx'
import { Dropped } from './Dropped.tsx'

/** As isonode_contracts answers. */
interface ListedContract {
  readonly id: string
  readonly name: string
  readonly sourceName: string | null
  readonly addresses: readonly string[]
  readonly hasSource: boolean
}

const COLUMNS: readonly Column<ListedContract>[] = [
  {
    title: 'Contract',
    render: ({ name, addresses: [first], hasSource }) => (
      <span>
        {first === undefined ? name : <a href={`#/address/${first}?tab=contract`}>{name}</a>}{' '}
        {hasSource && <Badge tone="good">source</Badge>}
      </span>
    ),
  },
  { title: 'Source', render: ({ sourceName }) => sourceName ?? <span class="muted">not known</span> },
  { title: 'Deployed at', render: ({ addresses }) => <AddressList addresses={addresses} /> },
]

export default function ContractsView(): VNode {
  const query = useQuery<readonly ListedContract[]>('contracts', (ask) => ask('isonode_contracts'), { isLive: true })
  return (
    <Page title="Contracts">
      <div class="stack">
        <Section title="Known to the node">
          <Answer query={query} what="the contracts that the node knows">
            {(contracts) =>
              contracts.length === 0 ? (
                <Empty title="The node knows no contracts by name.">
                  <p>
                    Start it with --abi=FOLDER, the folder of the artifacts of Hardhat or Foundry, or drop files below.
                  </p>
                </Empty>
              ) : (
                <More rows={deployedFirst(contracts)}>
                  {(shown) => <Table label="Contracts" columns={COLUMNS} rows={shown} keyOf={keyOf} />}
                </More>
              )
            }
          </Answer>
        </Section>
        <Dropped />
      </div>
    </Page>
  )
}

function keyOf({ id, name, sourceName }: ListedContract): string {
  return `${id} ${sourceName} ${name}`
}

function deployedFirst(contracts: readonly ListedContract[]): ListedContract[] {
  return contracts.toSorted((a, b) => Number(b.addresses.length > 0) - Number(a.addresses.length > 0))
}
