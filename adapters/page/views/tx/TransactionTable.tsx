import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Badge } from '../../components/Badge.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Hash } from '../../components/Hash.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Receipt, Transaction } from '../../rpc/types.ts'
import { CallName } from './CallName.tsx'

interface Props {
  readonly label: string
  readonly transactions: readonly Transaction[]
  /** By hash, where they are known: failed transactions are marked. */
  readonly receipts?: ReadonlyMap<string, Receipt>
  /** Adds a column for the block. */
  readonly hasBlock?: boolean
}

const HASH: Column<Transaction> = {
  title: 'Transaction',
  render: ({ hash }) => <Hash value={hash} kind="transaction" />,
}

const BLOCK: Column<Transaction> = {
  title: 'Block',
  render: ({ blockNumber }) =>
    blockNumber === null ? (
      <Badge tone="note">waiting</Badge>
    ) : (
      <a href={`#/block/${count(blockNumber)}`}>{grouped(quantity(blockNumber))}</a>
    ),
}

const OTHERS: readonly Column<Transaction>[] = [
  { title: 'Call', render: (transaction) => <CallName input={transaction.input} to={transaction.to} /> },
  { title: 'From', render: ({ from }) => <NamedAddress value={from} /> },
  {
    title: 'To',
    render: ({ to }) => (to === null ? <span class="muted">new contract</span> : <NamedAddress value={to} />),
  },
  { title: 'Value', isNumber: true, render: ({ value }) => <Amount wei={value} /> },
]

export function TransactionTable({ label, transactions, receipts, hasBlock = false }: Props): VNode {
  const isFailed = ({ hash }: Transaction): boolean => receipts?.get(hash)?.status === '0x0'
  const columns = [...(hasBlock ? [HASH, BLOCK] : [HASH]), ...OTHERS]
  if (receipts !== undefined) {
    columns.push({
      title: 'Outcome',
      render: (row) => (isFailed(row) ? <Badge tone="bad">failed</Badge> : <Badge tone="good">success</Badge>),
    })
  }
  return (
    <Table
      label={label}
      columns={columns}
      rows={transactions}
      keyOf={({ hash }) => hash}
      toneOf={(row) => (isFailed(row) ? 'bad' : undefined)}
      isLive
    />
  )
}
