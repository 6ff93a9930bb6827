import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Tab, Tabs } from '../../components/Tabs.tsx'
import { isHash } from '../../format/hex.ts'
import type { ViewProps } from '../../routes.ts'
import type { Summary } from '../../rpc/isonode.ts'
import type { Block, Receipt, Transaction } from '../../rpc/types.ts'
import { type Query, useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { Changes } from './Changes.tsx'
import { ConsoleOutput } from './ConsoleOutput.tsx'
import { CallTree } from './calls/CallTree.tsx'
import { GasGraph } from './calls/GasGraph.tsx'
import { Logs } from './Logs.tsx'
import { Outcome } from './Outcome.tsx'
import { Raw } from './Raw.tsx'
import { Transfers } from './Transfers.tsx'
import { TxActions } from './TxActions.tsx'
import { TxFacts } from './TxFacts.tsx'

export interface TransactionData {
  readonly transaction: Transaction
  /** null: it waits */
  readonly receipt: Receipt | null
  /** null: it waits */
  readonly block: Block | null
}

export default function TxView({ params, search }: ViewProps): VNode {
  const hash = params['hash'] ?? ''
  const query = useTransaction(hash)
  const summary = useQuery<Summary>(query.data && `summary ${hash} ${query.data.receipt?.status}`, (ask) =>
    ask('isonode_summary', hash),
  )
  return (
    <Page title="Transaction" actions={query.data && <TxActions data={query.data} />}>
      {query.phase === 'gone' ? (
        <OtherThing hash={hash} />
      ) : (
        <Answer query={query} what="the transaction">
          {(data) => (
            <>
              <Outcome data={data} summary={summary.data} />
              <TxFacts data={data} summary={summary.data} />
              <Tabs
                label="Parts of the transaction"
                tabs={tabsOf(data, summary)}
                active={search.get('tab')}
                onSelect={(tab) => setSearch({ tab })}
              />
            </>
          )}
        </Answer>
      )}
    </Page>
  )
}

/** Follows the head until the transaction is mined. */
function useTransaction(hash: string): Query<TransactionData> {
  const [isWaiting, setWaiting] = useState(true)
  const query = useQuery<TransactionData>(
    `transaction ${hash}`,
    async (ask) => {
      if (!isHash(hash)) return null
      const [transaction, receipt] = await Promise.all([
        ask<Transaction | null>('eth_getTransactionByHash', hash),
        ask<Receipt | null>('eth_getTransactionReceipt', hash),
      ])
      if (transaction === null) return null
      const { blockHash } = transaction
      const block = blockHash === null ? null : await ask<Block>('eth_getBlockByHash', blockHash, false)
      return { transaction, receipt, block }
    },
    { isLive: isWaiting },
  )
  const isMined = query.data !== undefined && query.data.receipt !== null
  useEffect(() => setWaiting(!isMined), [isMined])
  return query
}

/** The search leads every hash here, and some are those of blocks. */
function OtherThing({ hash }: { readonly hash: string }): VNode {
  const block = useQuery<Block>(`block ${hash}`, (ask) =>
    isHash(hash) ? ask('eth_getBlockByHash', hash, false) : Promise.resolve(null),
  )
  useEffect(() => {
    if (block.data !== undefined) location.replace(`#/block/${hash}`)
  }, [block.data])
  return (
    <Empty title="The node knows no transaction with this hash.">
      <p class="digits full">{hash}</p>
      <p>It may have been replaced, dropped from the pool, or removed by a reorganisation or a reset of the chain.</p>
    </Empty>
  )
}

function tabsOf(data: TransactionData, summary: Query<Summary>): Tab[] {
  const { transaction, receipt } = data
  const { hash } = transaction
  const raw = { id: 'raw', label: 'Raw', render: () => <Raw data={data} /> }
  if (receipt === null) return [raw]
  const { console: output = [], transfers = [] } = summary.data ?? {}
  return [
    { id: 'logs', label: 'Logs', count: receipt.logs.length, render: () => <Logs logs={receipt.logs} /> },
    ...(transfers.length === 0
      ? []
      : [
          {
            id: 'transfers',
            label: 'Transfers',
            count: transfers.length,
            render: () => <Transfers transfers={transfers} />,
          },
        ]),
    { id: 'calls', label: 'Calls', render: () => <CallTree hash={hash} /> },
    { id: 'changes', label: 'State changes', render: () => <Changes hash={hash} summary={summary} /> },
    { id: 'gas', label: 'Gas', render: () => <GasGraph hash={hash} /> },
    ...(output.length === 0
      ? []
      : [{ id: 'console', label: 'Console', count: output.length, render: () => <ConsoleOutput lines={output} /> }]),
    raw,
  ]
}
