import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import { count } from '../../format/hex.ts'
import type { Receipt, Transaction } from '../../rpc/types.ts'
import { useQuery } from '../../state/query.ts'
import { TransactionTable } from '../tx/TransactionTable.tsx'

interface TransactionPage {
  readonly txs: readonly Transaction[]
  readonly receipts: readonly (Receipt & { readonly transactionHash: string })[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const PAGE_SIZE = 25

/** Transactions that the account sent, received, or was called in, newest first. */
export function AccountTransactions({ address }: { readonly address: string }): VNode {
  /** Blocks before which the pages so far began; the first is the head. */
  const [pages, setPages] = useState<readonly number[]>([0])
  const before = pages.at(-1) ?? 0
  const query = useQuery<TransactionPage>(
    `transactions ${address} ${before}`,
    (ask) => ask('ots_searchTransactionsBefore', address, before, PAGE_SIZE),
    { isLive: before === 0 },
  )
  return (
    <Answer query={query} what="the transactions of the account" skeleton={<Skeleton lines={10} />}>
      {({ txs, receipts, lastPage }) => (
        <>
          {txs.length === 0 ? (
            <Empty title="No transactions." />
          ) : (
            <TransactionTable
              label="Transactions of the account"
              transactions={txs}
              receipts={new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))}
              hasBlock
            />
          )}
          <p class="more">
            {pages.length > 1 && <Button onClick={() => setPages(pages.slice(0, -1))}>Newer</Button>}
            {!lastPage && txs.length > 0 && (
              <Button onClick={() => setPages([...pages, count(txs.at(-1)?.blockNumber)])}>Older</Button>
            )}
          </p>
        </>
      )}
    </Answer>
  )
}
