import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Answer } from '../../components/Answer.tsx'
import { Badge } from '../../components/Badge.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Address, Hash } from '../../components/Hash.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import type { Transaction } from '../../rpc/types.ts'
import { blocks } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'

const SHOWN = 10

const COLUMNS: readonly Column<Transaction>[] = [
  { title: 'Transaction', render: ({ hash }) => <Hash value={hash} kind="transaction" /> },
  { title: 'From', render: ({ from }) => <Address value={from} /> },
  { title: 'To', render: ({ to }) => (to === null ? <Badge>creation</Badge> : <NamedAddress value={to} />) },
  { title: 'Value', isNumber: true, render: ({ value }) => <Amount wei={value} /> },
]

export function LatestTransactions(): VNode {
  const hashes = latestHashes()
  const query = useQuery<readonly Transaction[]>(
    'latest transactions',
    async (ask) => {
      const answers = latestHashes().map((hash) => ask<Transaction | null>('eth_getTransactionByHash', hash))
      return (await Promise.all(answers)).filter((transaction) => transaction !== null)
    },
    { isLive: true },
  )
  return (
    <Section title="Latest transactions">
      <Answer query={query} what="the latest transactions" skeleton={<Skeleton lines={SHOWN} />}>
        {(rows) =>
          rows.length === 0 && hashes.length === 0 ? (
            <Empty title="No transactions in the latest blocks." />
          ) : (
            <Table label="Latest transactions" columns={COLUMNS} rows={rows} keyOf={({ hash }) => hash} isLive />
          )
        }
      </Answer>
    </Section>
  )
}

/** Newest first. */
function latestHashes(): string[] {
  const hashes: string[] = []
  for (const { transactions } of blocks.peek()) {
    hashes.push(...transactions.slice(hashes.length - SHOWN).toReversed())
    if (hashes.length >= SHOWN) break
  }
  return hashes.slice(0, SHOWN)
}
