import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { ButtonLink } from '../../components/Button.tsx'
import { Page } from '../../components/Page.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import { count, isHash, quantity, toQuantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { ViewProps } from '../../routes.ts'
import type { Ask } from '../../rpc/ask.ts'
import type { Block, Transaction } from '../../rpc/types.ts'
import { useQuery } from '../../state/query.ts'
import { navigate, setSearch } from '../../state/router.ts'
import { useShortcuts } from '../../state/shortcuts.ts'
import { BlockFacts } from './BlockFacts.tsx'
import { BlockTransactions } from './BlockTransactions.tsx'
import { Ommers } from './Ommers.tsx'
import { RemovedNote } from './RemovedNote.tsx'
import { Withdrawals } from './Withdrawals.tsx'

const TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized']

export default function BlockView({ params, search }: ViewProps): VNode {
  const id = params['id'] ?? 'latest'
  const query = useQuery<Block<Transaction>>(`block ${id}`, (ask) => askBlock(ask, id), { isLive: TAGS.includes(id) })
  const block = query.data
  const number = block === undefined ? undefined : count(block.number)
  const open = (to: number): void => {
    if (to >= 0) navigate(`/block/${to}`)
  }
  useShortcuts([
    { keys: '[', text: 'Previous block', run: () => number !== undefined && open(number - 1) },
    { keys: ']', text: 'Next block', run: () => number !== undefined && open(number + 1) },
  ])
  return (
    <Page
      title={block === undefined ? `Block ${id}` : `Block ${grouped(quantity(block.number))}`}
      actions={number !== undefined && <Neighbours number={number} />}
    >
      <Answer query={query} what="the block" gone={`The chain has no block ${id}.`}>
        {(data) => (
          <>
            <RemovedNote block={data} />
            <BlockFacts block={data} />
            <Tabs
              label="Parts of the block"
              tabs={tabsOf(data)}
              active={search.get('tab')}
              onSelect={(tab) => setSearch({ tab })}
            />
          </>
        )}
      </Answer>
    </Page>
  )
}

function askBlock(ask: Ask, id: string): Promise<Block<Transaction> | null> {
  if (isHash(id)) return ask('eth_getBlockByHash', id, true)
  if (TAGS.includes(id)) return ask('eth_getBlockByNumber', id, true)
  const number = /^(?:\d{1,15}|0x[0-9a-f]{1,13})$/i.test(id) ? toQuantity(BigInt(id)) : undefined
  return number === undefined ? Promise.resolve(null) : ask('eth_getBlockByNumber', number, true)
}

function Neighbours({ number }: { readonly number: number }): VNode {
  return (
    <>
      {number > 0 && (
        <ButtonLink href={`#/block/${number - 1}`} icon="previous">
          Previous
        </ButtonLink>
      )}
      <ButtonLink href={`#/block/${number + 1}`} icon="next">
        Next
      </ButtonLink>
    </>
  )
}

function tabsOf(block: Block<Transaction>) {
  const { transactions, withdrawals, uncles } = block
  return [
    {
      id: 'transactions',
      label: 'Transactions',
      count: transactions.length,
      render: () => <BlockTransactions block={block} />,
    },
    ...(withdrawals === undefined
      ? []
      : [
          {
            id: 'withdrawals',
            label: 'Withdrawals',
            count: withdrawals.length,
            render: () => <Withdrawals withdrawals={withdrawals} />,
          },
        ]),
    ...(uncles.length === 0
      ? []
      : [
          {
            id: 'ommers',
            label: 'Ommers',
            count: uncles.length,
            render: () => <Ommers hash={block.hash} count={uncles.length} />,
          },
        ]),
  ]
}
