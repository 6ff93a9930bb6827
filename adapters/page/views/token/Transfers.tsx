import type { VNode } from 'preact'
import {
  type TokenInfo,
  type TokenTransfer,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  transfersOf,
} from '../../abi/tokens.ts'
import { Answer } from '../../components/Answer.tsx'
import { Address, Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, quantity } from '../../format/hex.ts'
import { cutDecimals, fixedPoint, grouped } from '../../format/numbers.ts'
import { type FoundLogs, searchLogs } from '../../state/logSearch.ts'
import { useQuery } from '../../state/query.ts'

interface Props {
  readonly token: string
  readonly info: TokenInfo
}

const WANTED = 500

export function Transfers({ token, info }: Props): VNode {
  const query = useQuery<FoundLogs>(
    `transfers ${token}`,
    (ask) => searchLogs(ask, [{ address: token, topics: [[TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH]] }], WANTED),
    { isLive: true },
  )
  const columns: readonly Column<TokenTransfer>[] = [
    { title: 'Transaction', render: ({ log }) => <Hash value={log.transactionHash} kind="transaction" /> },
    {
      title: 'Block',
      render: ({ log }) => <a href={`#/block/${count(log.blockNumber)}`}>{grouped(quantity(log.blockNumber))}</a>,
    },
    { title: 'From', render: ({ from }) => <Address value={from} /> },
    { title: 'To', render: ({ to }) => <Address value={to} /> },
    { title: 'Amount', isNumber: true, render: (transfer) => transferText(transfer, info) },
  ]
  return (
    <Answer query={query} what="the transfers">
      {({ logs, from }) => {
        const transfers = logs.flatMap(transfersOf)
        return (
          <>
            {transfers.length === 0 ? (
              <Empty title="No transfers." />
            ) : (
              <More rows={transfers}>
                {(rows) => <Table label="Transfers" columns={columns} rows={rows} keyOf={keyOf} />}
              </More>
            )}
            <p class="more muted">From the logs of blocks {grouped(from)} and later.</p>
          </>
        )
      }}
    </Answer>
  )
}

function transferText({ standard, amount, tokenId }: TokenTransfer, { decimals, symbol }: TokenInfo): string {
  if (standard === 'ERC-721') return `#${tokenId}`
  if (standard === 'ERC-1155') return `${grouped(amount)} of #${tokenId}`
  return `${cutDecimals(fixedPoint(amount, decimals), 6)} ${symbol}`
}

function keyOf({ log, tokenId }: TokenTransfer): string {
  return `${log.blockHash} ${log.logIndex} ${tokenId}`
}
