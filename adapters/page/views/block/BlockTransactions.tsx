import type { VNode } from 'preact'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import type { Block, Transaction } from '../../rpc/types.ts'
import { TransactionTable } from '../tx/TransactionTable.tsx'

export function BlockTransactions({ block }: { readonly block: Block<Transaction> }): VNode {
  const { transactions } = block
  if (transactions.length === 0) return <Empty title="No transactions in this block." />
  return (
    <More rows={transactions}>
      {(shown) => <TransactionTable label="Transactions of the block" transactions={shown} />}
    </More>
  )
}
