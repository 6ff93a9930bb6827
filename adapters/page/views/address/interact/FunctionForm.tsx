import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { canonicalName } from '../../../../../src/abi/abiType.ts'
import { type AbiFunction, encodeCall } from '../../../abi/functions.ts'
import { exampleOf, readValue } from '../../../abi/readValue.ts'
import { Button } from '../../../components/Button.tsx'
import { Field } from '../../../components/Field.tsx'
import { toQuantity } from '../../../format/hex.ts'
import { parseInteger } from '../../../format/numbers.ts'
import { useDraft } from '../../../state/drafts.ts'
import type { Sender } from '../../../state/wallets.ts'
import { CallResult } from './CallResult.tsx'
import { useCall } from './useCall.ts'

interface Props {
  readonly address: string
  readonly target: AbiFunction
  /** Of a transaction; undefined: a call only */
  readonly sender: Sender | undefined
}

/** Calls a function, or simulates it and then sends it. Its fields survive a reload. */
export function FunctionForm({ address, target, sender }: Props): VNode {
  const { signature, inputs, isRead, isPayable } = target
  const [draft, setDraft] = useDraft(`${address} ${signature}`, '')
  const [wei, setWei] = useDraft(`${address} ${signature} value`, '0')
  const [areErrorsShown, setErrorsShown] = useState(false)
  const call = useCall(target)
  const texts = readTexts(draft, inputs.length)
  const read = inputs.map(({ name, type }, i) => attempt(() => readValue(type, texts[i] ?? '', labelOf(name, i))))
  const value = parseInteger(wei)
  const valueError = value === undefined || value < 0n ? 'A number of wei.' : undefined
  const isValid = read.every(({ error }) => error === undefined) && valueError === undefined

  const request = (): Record<string, string> => ({
    to: address,
    input: encodeCall(
      target,
      read.flatMap((one) => (one.value === undefined ? [] : [one.value])),
    ),
    ...(isPayable ? { value: toQuantity(value ?? 0n) } : {}),
  })
  const submit = (event: Event): void => {
    event.preventDefault()
    setErrorsShown(true)
    if (isValid) void call.simulate(request(), sender)
  }
  const write = (i: number, text: string): void => setDraft(JSON.stringify(texts.with(i, text)))
  return (
    <details class="function-form" data-row="">
      <summary>
        <code>{signature}</code>
      </summary>
      <form class="stack" onSubmit={submit}>
        {inputs.map(({ name, type }, i) => (
          <Field
            key={i}
            label={labelOf(name, i)}
            hint={canonicalName(type)}
            value={texts[i] ?? ''}
            placeholder={exampleOf(type).replace(/^"(.*)"$/, '$1')}
            onInput={(text) => write(i, text)}
            error={areErrorsShown ? read[i]?.error : undefined}
          />
        ))}
        {isPayable && (
          <Field
            label="Value"
            hint="wei"
            value={wei}
            onInput={setWei}
            error={areErrorsShown ? valueError : undefined}
          />
        )}
        <p class="row">
          <Button type="submit" isBusy={call.isBusy}>
            {isRead ? 'Call' : 'Simulate'}
          </Button>
          {!isRead && sender && (
            <Button
              kind="primary"
              isDisabled={!isValid || !call.canSend(request)}
              isBusy={call.isBusy}
              onClick={() => void call.send(request(), sender)}
            >
              Send
            </Button>
          )}
        </p>
        {call.result && <CallResult result={call.result} address={address} />}
      </form>
    </details>
  )
}

function labelOf(name: string, index: number): string {
  return name || `Argument ${index + 1}`
}

function readTexts(draft: string, count: number): string[] {
  const empty = new Array<string>(count).fill('')
  try {
    const texts: unknown = JSON.parse(draft)
    return Array.isArray(texts) ? empty.map((_, i) => String(texts[i] ?? '')) : empty
  } catch {
    return empty
  }
}

function attempt<T>(read: () => T): { readonly value?: T; readonly error?: string } {
  try {
    return { value: read() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
