import type { VNode } from 'preact'
import {
  balanceOf,
  type TokenInfo,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  tokenInfo,
  topicOf,
  transfersOf,
} from '../../abi/tokens.ts'
import { Answer } from '../../components/Answer.tsx'
import { Address } from '../../components/Hash.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { cutDecimals, fixedPoint, grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import { searchLogs } from '../../state/logSearch.ts'
import { useQuery } from '../../state/query.ts'

interface Holding {
  readonly token: string
  readonly standard: string
  /** Of ERC-1155. */
  readonly tokenId: bigint | undefined
  readonly balance: bigint
  readonly info: TokenInfo
}

interface Holdings {
  readonly holdings: readonly Holding[]
  /** All blocks from this one on were searched. */
  readonly from: number
}

const MAX_LOGS = 5000
const MAX_TOKENS = 50

const COLUMNS: readonly Column<Holding>[] = [
  { title: 'Token', render: ({ token, info }) => <Address value={token} name={info.name || undefined} /> },
  { title: 'Standard', render: ({ standard }) => standard },
  { title: 'Id', isNumber: true, render: ({ tokenId }) => (tokenId === undefined ? '' : tokenId.toString()) },
  {
    title: 'Balance',
    isNumber: true,
    render: ({ token, balance, standard, info }) => (
      <a href={`#/token/${token}`}>
        {standard === 'ERC-20' ? cutDecimals(fixedPoint(balance, info.decimals), 6) : grouped(balance)} {info.symbol}
      </a>
    ),
  },
]

/** Tokens that logs mention, each verified by a call. */
export function TokenBalances({ owner }: { readonly owner: string }): VNode {
  const query = useQuery<Holdings>(`tokens ${owner}`, (ask) => findHoldings(ask, owner))
  return (
    <Answer query={query} what="the tokens of the account">
      {({ holdings, from }) => (
        <>
          {holdings.length === 0 ? (
            <Empty title="No tokens." />
          ) : (
            <Table
              label="Tokens"
              columns={COLUMNS}
              rows={holdings}
              keyOf={({ token, tokenId }) => `${token} ${tokenId}`}
            />
          )}
          <p class="more muted">
            Found in the logs of transfers from block {grouped(from)} on; balances are answers of the tokens. Names and
            symbols are the tokens’ own words, and prove nothing.
          </p>
        </>
      )}
    </Answer>
  )
}

async function findHoldings(ask: Ask, owner: string): Promise<Holdings> {
  const topic = topicOf(owner)
  const filters = [
    { topics: [TRANSFER, null, topic] },
    { topics: [[TRANSFER_SINGLE, TRANSFER_BATCH], null, null, topic] },
  ]
  const { logs, from } = await searchLogs(ask, filters, MAX_LOGS)
  const received = logs.flatMap(transfersOf)
  const tokens = new Map(
    received.map(({ log, standard, tokenId }) => {
      const id = standard === 'ERC-1155' ? tokenId : undefined
      return [`${log.address} ${id}`, { token: log.address, standard, tokenId: id }] as const
    }),
  )
  const holdings = await Promise.all(
    [...tokens.values()].slice(0, MAX_TOKENS).map(async (token) => {
      const [balance, info] = await Promise.all([
        balanceOf(ask, token.token, owner, token.tokenId),
        tokenInfo(ask, token.token),
      ])
      return { ...token, balance: balance ?? 0n, info }
    }),
  )
  return { holdings: holdings.filter(({ balance }) => balance > 0n), from }
}
