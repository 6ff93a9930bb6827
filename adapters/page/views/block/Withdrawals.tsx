import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Address } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Withdrawal } from '../../rpc/types.ts'

const WEI_PER_GWEI = 10n ** 9n

const COLUMNS: readonly Column<Withdrawal>[] = [
  { title: 'Index', isNumber: true, render: ({ index }) => grouped(quantity(index)) },
  { title: 'Validator', isNumber: true, render: ({ validatorIndex }) => grouped(quantity(validatorIndex)) },
  { title: 'Recipient', render: ({ address }) => <Address value={address} /> },
  { title: 'Amount', isNumber: true, render: ({ amount }) => <Amount wei={quantity(amount) * WEI_PER_GWEI} /> },
]

export function Withdrawals({ withdrawals }: { readonly withdrawals: readonly Withdrawal[] }): VNode {
  if (withdrawals.length === 0) return <Empty title="No withdrawals in this block." />
  return (
    <More rows={withdrawals}>
      {(rows) => <Table label="Withdrawals" columns={COLUMNS} rows={rows} keyOf={({ index }) => index} />}
    </More>
  )
}
