import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { InputKind } from '../format/inputKinds.ts'
import { useAction } from '../state/action.ts'
import { useDraft } from '../state/drafts.ts'
import { Button } from './Button.tsx'
import { Field } from './Field.tsx'

export interface FormField {
  readonly label: string
  readonly kind: InputKind
  readonly initial?: string
  readonly placeholder?: string
  readonly hint?: string
  readonly isOptional?: boolean
  readonly rows?: number
}

/** A parameter of JSON-RPC; undefined: left out. */
export type FormValue = string | number | boolean | undefined

interface Props {
  /** Names the form, and its unsaved input. */
  readonly title: string
  /** The action in one sentence. */
  readonly text?: string
  /** At most four. */
  readonly fields: readonly FormField[]
  /** On the button: `Mine`. */
  readonly submit: string
  readonly isDanger?: boolean
  /** @returns what is told to the reader */
  readonly run: (values: readonly FormValue[]) => Promise<string>
}

/** A small form that does one thing with the node. */
export function ActionForm({ title, text, fields, submit, isDanger = false, run }: Props): VNode {
  const action = useAction()
  const [isTried, setTried] = useState(false)
  const drafts = fields.map(({ label, initial }) => useDraft(`${title}, ${label}`, initial))
  const inputs = fields.map((field, i) => readInput(field, drafts[i]?.[0] ?? ''))
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    setTried(true)
    if (inputs.every(({ error }) => error === undefined)) action.run(() => run(inputs.map(({ value }) => value)))
  }
  return (
    <form class="action" aria-label={title} onSubmit={onSubmit} noValidate>
      <h3>{title}</h3>
      {text && <p class="muted">{text}</p>}
      <div class="action-fields">
        {fields.map((field, i) => {
          const [draft = '', setDraft] = drafts[i] ?? []
          return (
            <Field
              key={field.label}
              label={field.label}
              hint={field.hint}
              placeholder={field.placeholder ?? (field.isOptional ? 'optional' : '')}
              rows={field.rows ?? 1}
              value={draft}
              onInput={(next) => setDraft?.(next)}
              error={isTried || draft !== '' ? inputs[i]?.error : undefined}
            />
          )
        })}
        <Button type="submit" kind={isDanger ? 'danger' : 'plain'} isBusy={action.isBusy}>
          {submit}
        </Button>
      </div>
      {action.error && (
        <p class="error-text" role="alert">
          {action.error}
        </p>
      )}
    </form>
  )
}

interface Input {
  readonly value: FormValue
  readonly error: string | undefined
}

function readInput({ kind, isOptional = false }: FormField, text: string): Input {
  if (text.trim() === '' && isOptional) return { value: undefined, error: undefined }
  const value = kind.read(text)
  return { value, error: value === undefined ? kind.expected : undefined }
}
