import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { DecodedItem } from '../../components/DecodedCall.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Field } from '../../components/Field.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { count, isAddress, isData, quantity, toQuantity } from '../../format/hex.ts'
import { grouped, parseInteger } from '../../format/numbers.ts'
import { revertData } from '../../rpc/errors.ts'
import { decodedError } from '../../state/meaning.ts'
import { request } from '../../state/node.ts'
import { DebugCall } from '../debug/DebugCall.tsx'
import type { TransactionData } from './TxView.tsx'

interface Props {
  readonly data: TransactionData
  readonly onClose: () => void
}

type Result = { readonly call: Readonly<Record<string, string>> } & (
  | { readonly output: string }
  | { readonly error: Error; readonly output: string | undefined }
)

/** Runs the call of a transaction with other inputs, on the state before its block. Nothing is sent. */
export function RunAgain({ data: { transaction, block }, onClose }: Props): VNode {
  const [from, setFrom] = useState(transaction.from)
  const [to, setTo] = useState(transaction.to ?? '')
  const [value, setValue] = useState(quantity(transaction.value).toString())
  const [gas, setGas] = useState(quantity(transaction.gas).toString())
  const [input, setInput] = useState(transaction.input)
  const [result, setResult] = useState<Result>()
  const [isBusy, setBusy] = useState(false)
  const wei = parseInteger(value)
  const limit = parseInteger(gas)
  const errors = {
    from: isAddress(from) ? undefined : 'An address has 40 hex digits after 0x.',
    to: to === '' || isAddress(to) ? undefined : 'An address has 40 hex digits after 0x; nothing creates a contract.',
    value: wei !== undefined && wei >= 0n ? undefined : 'A number of wei.',
    gas: limit !== undefined && limit > 0n ? undefined : 'A number above 0.',
    input: isData(input) ? undefined : 'Whole bytes in hex after 0x.',
  }
  const isValid = Object.values(errors).every((error) => error === undefined)
  const before = block === null ? 'latest' : toQuantity(Math.max(0, count(block.number) - 1))
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!isValid) return
    setBusy(true)
    const call = {
      from,
      ...(to === '' ? {} : { to }),
      value: toQuantity(wei ?? 0n),
      gas: toQuantity(limit ?? 0n),
      input,
    }
    setResult(
      await request<string>('eth_call', [call, before]).then(
        (output) => ({ call, output }),
        (error: Error) => ({ call, error, output: revertData(error) }),
      ),
    )
    setBusy(false)
  }
  return (
    <Dialog title="Run again with other inputs" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void run(event)}>
        <p class="muted">On the state of block {before === 'latest' ? before : count(before)}. Nothing is sent.</p>
        <Field label="From" value={from} onInput={setFrom} error={errors.from} />
        <Field label="To" value={to} onInput={setTo} error={errors.to} />
        <Field label="Value" hint="wei" value={value} onInput={setValue} error={errors.value} />
        <Field label="Gas" value={gas} onInput={setGas} error={errors.gas} />
        <Field label="Input" value={input} onInput={setInput} rows={4} error={errors.input} />
        <Button type="submit" kind="primary" isBusy={isBusy} isDisabled={!isValid}>
          Run
        </Button>
        {result && <RunResult result={result} to={to === '' ? null : to} />}
        {result && <DebugCall call={result.call} block={before} />}
      </form>
    </Dialog>
  )
}

function RunResult({ result, to }: { readonly result: Result; readonly to: string | null }): VNode {
  const error = decodedError(result.output ?? '', to).value
  if (!('error' in result)) {
    return (
      <div role="status">
        <p>Succeeded, {grouped(Math.max(0, (result.output.length - 2) / 2))} bytes of output:</p>
        <pre>{result.output.slice(0, 4000)}</pre>
      </div>
    )
  }
  return (
    <>
      <ErrorBox title="The call fails" text={result.error.message} />
      {error && <DecodedItem decoded={error} />}
    </>
  )
}
