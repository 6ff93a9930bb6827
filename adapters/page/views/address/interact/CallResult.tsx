import type { VNode } from 'preact'
import { DecodedItem } from '../../../components/DecodedCall.tsx'
import { Hash } from '../../../components/Hash.tsx'
import { ErrorBox } from '../../../components/states.tsx'
import { quantity } from '../../../format/hex.ts'
import { grouped } from '../../../format/numbers.ts'
import { decodedError } from '../../../state/meaning.ts'
import { DebugCall } from '../../debug/DebugCall.tsx'
import type { CallOutcome } from './useCall.ts'

export function CallResult({ result, address }: { readonly result: CallOutcome; readonly address: string }): VNode {
  switch (result.kind) {
    case 'sent':
      return (
        <p role="status">
          Sent: <Hash value={result.hash} kind="transaction" />
        </p>
      )
    case 'error':
      return <Failure failure={result} address={address} />
    case 'output':
      return <Output result={result} />
  }
}

function Output({
  result: { texts, data, gas },
}: {
  readonly result: Extract<CallOutcome, { kind: 'output' }>
}): VNode {
  return (
    <div role="status">
      {texts === undefined ? <pre>{data.slice(0, 4000)}</pre> : <OutputTexts texts={texts} />}
      {gas !== undefined && <p class="muted">It would succeed, with {grouped(quantity(gas))} gas.</p>}
    </div>
  )
}

function OutputTexts({ texts }: { readonly texts: readonly string[] }): VNode | null {
  return texts.length === 0 ? null : <pre>{texts.join('\n')}</pre>
}

function Failure({
  failure: { message, data, failed },
  address,
}: {
  readonly failure: Extract<CallOutcome, { kind: 'error' }>
  readonly address: string
}): VNode {
  const error = decodedError(data ?? '', address).value
  return (
    <>
      <ErrorBox title="It fails" text={message} />
      {error && <DecodedItem decoded={error} />}
      {failed && <DebugCall {...failed} />}
    </>
  )
}
