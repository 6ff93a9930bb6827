import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../../components/Field.tsx'
import { useDraft } from '../../state/drafts.ts'
import { RequestForm } from './MethodForm.tsx'
import { type Outcome, readValue } from './parameters.ts'

/** Their parameters are keys and passwords, which are not kept. */
const WITH_SECRETS = /^personal_|^evm_(?:add|remove)Account$/
const LIST: ReadonlySet<string> = new Set(['array'])

/** A request of any method, with its parameters as JSON. */
export function FreeForm(): VNode {
  const [method, setMethod] = useDraft('method')
  const [kept, keep] = useDraft('params', '[]')
  const [secret, setSecret] = useState('[]')
  const hasSecrets = WITH_SECRETS.test(method)
  const [params, setParams] = hasSecrets ? [secret, setSecret] : [kept, keep]
  return (
    <RequestForm name={method} outcome={outcomeOf(method, params)} hasSecrets={hasSecrets}>
      {(errors) => (
        <>
          <Field
            label="Method"
            value={method}
            onInput={setMethod}
            error={errors.get('method')}
            placeholder="eth_call"
          />
          <Field
            label="Parameters"
            hint="A list in JSON"
            value={params}
            onInput={setParams}
            error={errors.get('params')}
            rows={4}
          />
        </>
      )}
    </RequestForm>
  )
}

function outcomeOf(method: string, params: string): Outcome {
  if (!/^[\w.]{1,100}$/.test(method)) return { errors: new Map([['method', 'A name such as eth_call.']]) }
  const list = readValue(params.trim() === '' ? '[]' : params.trim(), LIST)
  if (Array.isArray(list)) return { params: list }
  return { errors: new Map([['params', list instanceof Error ? list.message : 'A list, such as ["latest", false].']]) }
}
