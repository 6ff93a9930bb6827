import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Field } from '../../components/Field.tsx'
import { notify } from '../../state/announcer.ts'
import { useDraft } from '../../state/drafts.ts'
import { refreshHead } from '../../state/live.ts'
import { setSearch } from '../../state/router.ts'
import { CopyRequest } from './CopyRequest.tsx'
import type { ConsoleRequest } from './consoleRequest.ts'
import { Documentation } from './Documentation.tsx'
import type { Method, Parameter } from './document.ts'
import { type Outcome, readParameters } from './parameters.ts'
import { ReplyBox } from './ReplyBox.tsx'
import { addToBatch, remember } from './requests.ts'
import { type Reply, send } from './send.ts'

interface Props {
  readonly method: Method
}

/** One method with a field for each parameter. Mount it with the method as its key. */
export function MethodForm({ method }: Props): VNode {
  const { name, parameters } = method
  const inputs = parameters.map((parameter) => useInput(name, parameter))
  const texts = new Map(parameters.map((parameter, i) => [parameter.name, inputs[i]?.[0] ?? '']))
  const outcome = readParameters(parameters, texts)
  return (
    <RequestForm
      name={name}
      outcome={outcome}
      hasSecrets={parameters.some(({ isSecret }) => isSecret)}
      documentation={<Documentation method={method} />}
    >
      {(errors) =>
        parameters.map((parameter, i) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            text={inputs[i]?.[0] ?? ''}
            onInput={(text) => inputs[i]?.[1](text)}
            error={errors.get(parameter.name)}
          />
        ))
      }
    </RequestForm>
  )
}

/** Keys and passwords are not kept for a reload. */
function useInput(method: string, { name, isSecret }: Parameter): readonly [string, (text: string) => void] {
  return isSecret ? useState('') : useDraft(`${method} ${name}`)
}

interface FormProps {
  readonly name: string
  readonly outcome: Outcome
  readonly hasSecrets?: boolean
  readonly documentation?: ComponentChildren
  /** The fields with the errors that are to be shown, by name. */
  readonly children: (errors: ReadonlyMap<string, string>) => ComponentChildren
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map()

/** A form that sends a request and shows the answer. */
export function RequestForm({ name, outcome, hasSecrets = false, documentation, children }: FormProps): VNode {
  const [isTried, setTried] = useState(false)
  const [reply, setReply] = useState<Reply>()
  const running = useRef<AbortController>(undefined)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => () => running.current?.abort(), [])
  const request: ConsoleRequest | undefined = 'params' in outcome ? { method: name, params: outcome.params } : undefined
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (request === undefined) return
    if (!hasSecrets) remember(request)
    setBusy(true)
    const controller = new AbortController()
    running.current = controller
    const answer = await send(request, controller.signal)
    setBusy(false)
    setReply(answer)
    refreshHead()
  }
  const add = (): void => {
    setTried(true)
    if (request !== undefined) notify(addToBatch(request) ? `${name} is in the batch.` : 'The batch is full.')
  }
  return (
    <form class="card stack" aria-label={name} onSubmit={(event) => void submit(event)} noValidate>
      <h2>{name === '' ? 'Any request' : name}</h2>
      {documentation}
      {name === 'eth_subscribe' && (
        <p>
          <Button onClick={() => setSearch({ tab: 'subscriptions' })}>Show what a subscription delivers</Button>
        </p>
      )}
      {children(isTried && 'errors' in outcome ? outcome.errors : NO_ERRORS)}
      <div class="row">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Send
        </Button>
        {isBusy && <Button onClick={() => running.current?.abort(new Error('Stopped.'))}>Stop</Button>}
        {!hasSecrets && <Button onClick={add}>Add to the batch</Button>}
        {request && !hasSecrets && <CopyRequest request={request} />}
      </div>
      {reply && <ReplyBox reply={reply} name={name} />}
    </form>
  )
}

interface FieldProps {
  readonly parameter: Parameter
  readonly text: string
  readonly onInput: (text: string) => void
  readonly error: string | undefined
}

function ParameterField({ parameter, text, onInput, error }: FieldProps): VNode {
  const { name, summary, isRequired, form, types, choices, isSecret } = parameter
  const isStructure = types.has('object') || types.has('array')
  return (
    <Field
      label={isRequired ? name : `${name} (optional)`}
      hint={[summary.replaceAll('`', ''), form].filter(Boolean).join(' · ')}
      value={text}
      onInput={onInput}
      error={error}
      type={isSecret ? 'password' : 'text'}
      rows={isStructure && choices === undefined ? 3 : 1}
      {...(choices && { choices: [['', '–'] as const, ...choices.map((choice) => [choice, choice] as const)] })}
    />
  )
}
