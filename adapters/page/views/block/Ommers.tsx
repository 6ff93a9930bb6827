import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Address, Hash } from '../../components/Hash.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { quantity, toQuantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Block } from '../../rpc/types.ts'
import { useQuery } from '../../state/query.ts'

interface Props {
  /** Of the block that names them. */
  readonly hash: string
  readonly count: number
}

/** A block has at most two. */
const MAX_OMMERS = 2

const COLUMNS: readonly Column<Block>[] = [
  { title: 'Number', render: ({ number }) => grouped(quantity(number)) },
  { title: 'Hash', render: ({ hash }) => <Hash value={hash} /> },
  { title: 'Beneficiary', render: ({ miner }) => <Address value={miner} /> },
  { title: 'Difficulty', isNumber: true, render: ({ difficulty }) => grouped(quantity(difficulty)) },
]

export function Ommers({ hash, count }: Props): VNode {
  const query = useQuery<readonly Block[]>(`ommers ${hash}`, async (ask) => {
    const indexes = Array.from({ length: Math.min(count, MAX_OMMERS) }, (_, i) => toQuantity(i))
    const answers = indexes.map((index) => ask<Block | null>('eth_getUncleByBlockHashAndIndex', hash, index))
    return (await Promise.all(answers)).filter((ommer) => ommer !== null)
  })
  return (
    <Answer query={query} what="the ommers">
      {(rows) => <Table label="Ommers" columns={COLUMNS} rows={rows} keyOf={(ommer) => ommer.hash} />}
    </Answer>
  )
}
