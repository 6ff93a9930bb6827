import type { VNode } from 'preact'
import { balanceOf, type TokenInfo, TRANSFER, transfersOf } from '../../abi/tokens.ts'
import { Answer } from '../../components/Answer.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Meter } from '../../components/Meter.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { cutDecimals, fixedPoint, grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import { searchLogs } from '../../state/logSearch.ts'
import { useQuery } from '../../state/query.ts'

interface Props {
  readonly token: string
  readonly info: TokenInfo
}

interface Holder {
  readonly address: string
  readonly balance: bigint
}

interface FoundHolders {
  readonly holders: readonly Holder[]
  readonly from: number
  /** Accounts that received tokens; not all were asked for. */
  readonly recipients: number
}

const MAX_LOGS = 10_000
const MAX_HOLDERS = 100

/** Accounts that logs name, with the balances that the token states for them. */
export function Holders({ token, info }: Props): VNode {
  const query = useQuery<FoundHolders>(`holders ${token}`, (ask) => findHolders(ask, token))
  const columns: readonly Column<Holder>[] = [
    { title: 'Account', render: ({ address }) => <NamedAddress value={address} /> },
    {
      title: 'Balance',
      isNumber: true,
      render: ({ balance }) => `${cutDecimals(fixedPoint(balance, info.decimals), 6)} ${info.symbol}`,
    },
    { title: 'Share', render: ({ balance }) => <Meter label="Share" value={balance} total={info.totalSupply ?? 0n} /> },
  ]
  return (
    <Answer query={query} what="the holders">
      {({ holders, from, recipients }) => (
        <>
          {holders.length === 0 ? (
            <Empty title="No holders." />
          ) : (
            <Table label="Holders" columns={columns} rows={holders} keyOf={({ address }) => address} />
          )}
          <p class="more muted">
            From the logs of blocks {grouped(from)} and later: {grouped(Math.min(recipients, MAX_HOLDERS))} of{' '}
            {grouped(recipients)} recipients. A token may move balances without logs.
          </p>
        </>
      )}
    </Answer>
  )
}

async function findHolders(ask: Ask, token: string): Promise<FoundHolders> {
  const { logs, from } = await searchLogs(ask, [{ address: token, topics: [TRANSFER] }], MAX_LOGS)
  const recipients = [...new Set(logs.flatMap(transfersOf).map(({ to }) => to))]
  const holders = await Promise.all(
    recipients
      .slice(0, MAX_HOLDERS)
      .map(async (address) => ({ address, balance: (await balanceOf(ask, token, address)) ?? 0n })),
  )
  const sorted = holders
    .filter(({ balance }) => balance > 0n)
    .toSorted((a, b) => (a.balance < b.balance ? 1 : a.balance > b.balance ? -1 : 0))
  return { holders: sorted, from, recipients: recipients.length }
}
