import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../page/components/Button.tsx'
import { Field } from '../../page/components/Field.tsx'
import { Section } from '../../page/components/Page.tsx'

export interface PlaceField {
  /** Of the value in the query. */
  readonly name: string
  readonly label: string
  readonly initial?: string
  readonly placeholder?: string
  readonly isOptional?: boolean
  readonly accepts: (text: string) => boolean
  /** Completes "expected": `a number`. */
  readonly expected: string
  readonly choices?: readonly (readonly [value: string, label: string])[]
}

interface Props {
  readonly title: string
  readonly text: string
  readonly fields: readonly PlaceField[]
  readonly submit: string
  /** The query that the values lead to. */
  readonly queryFor: (values: Readonly<Record<string, string>>) => string
  readonly children?: ComponentChildren
}

/** A form that opens another place of the page. */
export function PlaceForm({ title, text, fields, submit, queryFor, children }: Props): VNode {
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const values = Object.fromEntries(fields.map(({ name, initial = '' }) => [name, changed[name] ?? initial]))
  const [isTried, setTried] = useState(false)
  const problems = fields.map((field) => problemOf(field, values[field.name] ?? ''))
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    setTried(true)
    if (problems.every((problem) => problem === undefined)) location.search = queryFor(values)
  }
  return (
    <Section title={title}>
      <p class="muted">{text}</p>
      <form class="start-form" aria-label={title} onSubmit={onSubmit} noValidate>
        {fields.map(({ name, label, placeholder, isOptional, choices }, i) => (
          <Field
            key={name}
            label={label}
            placeholder={placeholder ?? (isOptional ? 'optional' : '')}
            value={values[name] ?? ''}
            onInput={(value) => setChanged({ ...changed, [name]: value.trim() })}
            error={isTried ? problems[i] : undefined}
            {...(choices === undefined ? {} : { choices })}
          />
        ))}
        <Button type="submit" kind="primary">
          {submit}
        </Button>
      </form>
      {children}
    </Section>
  )
}

function problemOf({ accepts, expected, isOptional = false }: PlaceField, text: string): string | undefined {
  return (isOptional && text === '') || accepts(text) ? undefined : `Expected ${expected}.`
}
