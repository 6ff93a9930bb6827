import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import type { Transaction } from '../../rpc/types.ts'
import { requestFirst, useAction } from '../../state/action.ts'
import { head } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { CallName } from '../tx/CallName.tsx'
import { type Account, type Conditions, feeOf, type Reason, reasonsOf, type Sender } from './waiting.ts'

interface Props {
  readonly sender: Sender
  readonly isDev: boolean
  readonly onDropped: () => void
}

interface Row {
  readonly transaction: Transaction
  readonly reason: Reason | undefined
}

interface Situation {
  readonly account: Account
  readonly baseFee: bigint | undefined
  readonly isMinedAtOnce: boolean | undefined
}

/** The transactions of one sender, each with what it waits for. */
export function PoolSender({ sender, isDev, onDropped }: Props): VNode {
  const { address, transactions } = sender
  const { data } = useQuery<Situation>(`sender ${address}`, (ask) => askSituation(ask, address, isDev), {
    isLive: true,
  })
  const { isBusy, error, run } = useAction()
  const drop = (hash: string): void =>
    run(async () => {
      await requestFirst(['anvil_dropTransaction', 'hardhat_dropTransaction'], [hash])
      onDropped()
      return 'The transaction is dropped.'
    })
  const reasons = data && reasonsOf(sender, data.account, conditionsOf(data))
  const rows = transactions.map((transaction, i) => ({ transaction, reason: reasons?.[i] }))
  const columns = isDev ? [...COLUMNS, dropColumn(drop, isBusy)] : COLUMNS
  return (
    <section class="card pool-sender" aria-label={`Transactions of ${address}`}>
      <header class="card-head">
        <NamedAddress value={address} />
        {data && (
          <span class="muted">
            nonce {grouped(data.account.nonce)}, balance <Amount wei={data.account.balance} />
          </span>
        )}
      </header>
      {error && <p class="error-text">{error}</p>}
      <More rows={rows} step={20}>
        {(shown) => (
          <Table
            label={`Transactions of ${address}`}
            columns={columns}
            rows={shown}
            keyOf={({ transaction }) => transaction.hash}
            isLive
          />
        )}
      </More>
    </section>
  )
}

async function askSituation(ask: Ask, address: string, isDev: boolean): Promise<Situation> {
  const [nonce, balance, fees, automine] = await Promise.all([
    ask<string>('eth_getTransactionCount', address, 'latest'),
    ask<string>('eth_getBalance', address, 'latest'),
    ask<{ readonly baseFeePerGas?: readonly string[] }>('eth_feeHistory', '0x1', 'latest', []).catch(() => undefined),
    isDev ? ask<boolean>('anvil_getAutomine') : undefined,
  ])
  // The last one is that of the block after the head.
  const baseFee = fees?.baseFeePerGas?.at(-1)
  return {
    account: { nonce: count(nonce), balance: quantity(balance) },
    baseFee: baseFee === undefined ? undefined : quantity(baseFee),
    isMinedAtOnce: automine,
  }
}

function conditionsOf({ baseFee, isMinedAtOnce }: Situation): Conditions {
  return { baseFee, isMinedAtOnce, gasLimit: quantity(head.peek()?.gasLimit) }
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Nonce', render: ({ transaction }) => grouped(count(transaction.nonce)) },
  { title: 'Transaction', render: ({ transaction }) => <Hash value={transaction.hash} kind="transaction" /> },
  {
    title: 'Call',
    render: ({ transaction }) => <CallName input={transaction.input} to={transaction.to} />,
  },
  {
    title: 'To',
    render: ({ transaction: { to } }) =>
      to === null ? <span class="muted">new contract</span> : <NamedAddress value={to} />,
  },
  { title: 'Value', isNumber: true, render: ({ transaction }) => <Amount wei={transaction.value} /> },
  { title: 'Fee per gas', isNumber: true, render: ({ transaction }) => <Amount wei={feeOf(transaction)} /> },
  {
    title: 'State',
    render: ({ reason }) => reason && <Badge tone={reason.isReady ? 'good' : 'note'}>{reason.text}</Badge>,
  },
]

function dropColumn(drop: (hash: string) => void, isBusy: boolean): Column<Row> {
  return {
    title: '',
    isNumber: true,
    render: ({ transaction }) => (
      <Button
        isBusy={isBusy}
        label={`Drop the transaction with nonce ${count(transaction.nonce)}`}
        onClick={() => drop(transaction.hash)}
      >
        Drop
      </Button>
    ),
  }
}
