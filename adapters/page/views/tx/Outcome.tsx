import type { VNode } from 'preact'
import { Badge } from '../../components/Badge.tsx'
import { Prose } from '../../components/Prose.tsx'
import { quantity, shortened } from '../../format/hex.ts'
import { amount } from '../../format/numbers.ts'
import type { FailureFrame, Summary } from '../../rpc/isonode.ts'
import type { TransactionData } from './TxView.tsx'
import { Waiting } from './Waiting.tsx'

interface Props {
  readonly data: TransactionData
  readonly summary: Summary | undefined
}

/** The outcome in one sentence. */
export function Outcome({ data, summary }: Props): VNode {
  const { receipt } = data
  if (receipt === null) return <Waiting transaction={data.transaction} waitsFor={summary?.waitsFor ?? undefined} />
  const isFailed = receipt.status === '0x0'
  return (
    <div class={`outcome ${isFailed ? 'bad' : 'good'}`}>
      <p>
        <Badge tone={isFailed ? 'bad' : 'good'}>{isFailed ? 'Failed' : 'Success'}</Badge>{' '}
        <Prose text={summary?.sentence ?? plainSentence(data)} />
      </p>
      {summary !== undefined && summary.failure.length > 0 && <FailurePath frames={summary.failure} />}
    </div>
  )
}

/** For nodes that do not summarise transactions. */
function plainSentence({ transaction: { from, to, value, input }, receipt }: TransactionData): string {
  const sender = shortened(from)
  if (to === null) return `${sender} created the contract ${shortened(receipt?.contractAddress ?? '')}.`
  const { text, unit } = amount(quantity(value))
  if (input === '0x') return `${sender} sent ${text} ${unit} to ${shortened(to)}.`
  return `${sender} called ${input.slice(0, 10)} of ${shortened(to)}.`
}

/** Innermost first, as a stack trace. */
function FailurePath({ frames }: { readonly frames: readonly FailureFrame[] }): VNode {
  return (
    <ol class="failure-path">
      {frames.map(({ address, contract, function: name, source }, i) => (
        <li key={i}>
          at <code>{`${contract ?? placeName(address)}.${name ?? '?'}`}</code>
          {source && <span class="muted">{` (${source.path}:${source.line}:${source.column})`}</span>}
        </li>
      ))}
    </ol>
  )
}

/** @param address null: of a contract whose creation failed */
function placeName(address: string | null): string {
  return address === null ? 'new contract' : shortened(address)
}
