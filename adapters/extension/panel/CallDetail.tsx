import type { ComponentChildren, VNode } from 'preact'
import { plainText } from '../../../src/abi/plainText.ts'
import { treatmentOf } from '../../../src/replay/policy.ts'
import type { RecordedCall } from '../../../src/replay/recording.ts'
import { CopyButton } from '../../page/components/CopyButton.tsx'
import { DecodedItem } from '../../page/components/DecodedCall.tsx'
import type { Mark } from '../recording/marks.ts'
import { Effects } from './Effects.tsx'
import { ExplorerLink } from './ExplorerLink.tsx'
import { decodedCall } from './meaning.ts'
import { fork } from './session.ts'

const MARKS: Readonly<Record<Mark, string>> = {
  duplicate: 'The same call was made less than a second before, and nothing was sent since.',
  multicall: 'Multicall3 could have answered this call together with its neighbours.',
  batch: 'One HTTP request could have carried this call together with its neighbours.',
}
const MAX_LINKS = 20
const MAX_SHOWN = 100_000

interface Props {
  readonly call: RecordedCall
  readonly mark: Mark | undefined
}

export function CallDetail({ call, mark }: Props): VNode {
  const decoded = decodedCall(call)
  const { method, params, result, error, provider, transport, omitted } = call
  const isSent = treatmentOf(method) === 'send' && typeof result === 'string'
  return (
    <section class="detail card" aria-label="The selected call">
      <h2>{plainText(method, 80)}</h2>
      <p>
        {transport === 'wallet' ? 'Wallet' : 'HTTP'}: {plainText(provider, 80)}
      </p>
      {mark && <p class="note">{MARKS[mark]}</p>}
      {omitted && (
        <p class="note">{omitted === 'secret' ? 'Secret parts are not recorded.' : 'A part was too long.'}</p>
      )}
      {decoded && <DecodedItem decoded={decoded} />}
      {isSent && fork.value.kind === 'forked' && <Effects hash={result} />}
      <Links call={call} />
      <Json title="Parameters" value={params} />
      {error === undefined ? <Json title="Result" value={result} /> : <Json title="Error" value={error} />}
    </section>
  )
}

/** Each hash and address of the call opens its view. */
function Links({ call: { params, result } }: { readonly call: RecordedCall }): VNode | null {
  const text = JSON.stringify([params, result ?? null]).slice(0, MAX_SHOWN)
  const found = [...new Set(text.match(/(?<=")0x(?:[0-9a-f]{64}|[0-9a-f]{40})(?=")/gi) ?? [])].slice(0, MAX_LINKS)
  if (found.length === 0) return null
  return (
    <p class="links">
      {found.map((hex) => (
        <ExplorerLink key={hex} hex={hex} />
      ))}
    </p>
  )
}

function Json({ title, value }: { readonly title: string; readonly value: unknown }): ComponentChildren {
  if (value === undefined) return null
  const text = JSON.stringify(value, null, 2)
  return (
    <>
      <h3>
        {title} <CopyButton text={text} label={title.toLowerCase()} />
      </h3>
      <pre>{plainLinesOf(text)}</pre>
    </>
  )
}

function plainLinesOf(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text
}
