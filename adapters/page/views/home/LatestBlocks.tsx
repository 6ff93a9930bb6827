import type { VNode } from 'preact'
import { Address } from '../../components/Hash.tsx'
import { Meter } from '../../components/Meter.tsx'
import { Section } from '../../components/Page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { Time } from '../../components/Time.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Block } from '../../rpc/types.ts'
import { blocks } from '../../state/live.ts'

const SHOWN = 10

const COLUMNS: readonly Column<Block>[] = [
  { title: 'Block', render: ({ number }) => <a href={`#/block/${count(number)}`}>{grouped(quantity(number))}</a> },
  { title: 'Age', render: ({ timestamp }) => <Time seconds={count(timestamp)} /> },
  { title: 'Transactions', isNumber: true, render: ({ transactions }) => grouped(transactions.length) },
  {
    title: 'Gas',
    render: ({ gasUsed, gasLimit }) => <Meter label="Gas used" value={quantity(gasUsed)} total={quantity(gasLimit)} />,
  },
  { title: 'Beneficiary', render: ({ miner }) => <Address value={miner} /> },
]

export function LatestBlocks(): VNode {
  const rows = blocks.value.slice(0, SHOWN)
  return (
    <Section title="Latest blocks">
      {rows.length === 0 ? (
        <Skeleton lines={SHOWN} />
      ) : (
        <Table label="Latest blocks" columns={COLUMNS} rows={rows} keyOf={({ hash }) => hash} isLive />
      )}
    </Section>
  )
}
