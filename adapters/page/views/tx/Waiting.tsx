import type { VNode } from 'preact'
import { Badge } from '../../components/Badge.tsx'
import { count } from '../../format/hex.ts'
import type { Transaction } from '../../rpc/types.ts'
import { head } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { waitingReason } from './waitingReason.ts'

interface Props {
  readonly transaction: Transaction
  /** As the node says it. */
  readonly waitsFor: string | undefined
}

/** Says what a transaction of the pool waits for. */
export function Waiting({ transaction, waitsFor }: Props): VNode {
  const { from } = transaction
  const nonce = useQuery<string>(`nonce ${from}`, (ask) => ask('eth_getTransactionCount', from, 'latest'), {
    isLive: true,
  })
  const next = nonce.data === undefined ? undefined : count(nonce.data)
  return (
    <div class="outcome note" role="status">
      <p>
        <Badge tone="note">Waiting</Badge> {waitsFor ?? waitingReason(transaction, next, head.value?.baseFeePerGas)}
      </p>
    </div>
  )
}
