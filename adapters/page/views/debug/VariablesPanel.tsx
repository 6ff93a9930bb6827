import type { VNode } from 'preact'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Empty } from '../../components/states.tsx'
import type { Moment, Variable } from './types.ts'

/** State variables, parameters, local variables and results. A value that is not certain is said not to be known. */
export function VariablesPanel({ moment }: { readonly moment: Moment }): VNode {
  const { locals, results, state, notes } = moment
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      <Group title="Parameters and local variables" variables={locals} />
      <Group title="Results" variables={results} />
      <Group title="State" variables={state} />
      {locals.length + results.length + state.length === 0 && <Empty title="No variable is known here." />}
    </>
  )
}

function Group({
  title,
  variables,
}: {
  readonly title: string
  readonly variables: readonly Variable[]
}): VNode | null {
  if (variables.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <VariableList variables={variables} />
    </section>
  )
}

function VariableList({ variables }: { readonly variables: readonly Variable[] }): VNode {
  return (
    <ul class="variables">
      {variables.map((variable, i) => (
        <li key={`${variable.name} ${i}`}>
          <VariableRow variable={variable} />
        </li>
      ))}
    </ul>
  )
}

/** Of members, with which a variable is shown open. */
const MAX_OPEN = 4

function VariableRow({ variable }: { readonly variable: Variable }): VNode {
  const { name, type, value, text, known, members = [] } = variable
  const head = (
    <>
      <code class="variable-name">{name === '' ? '(unnamed)' : name}</code> <span class="variable-type">{type}</span>
    </>
  )
  if (members.length > 0) {
    return (
      <details open={members.length <= MAX_OPEN}>
        <summary>
          {head} <span class="variable-summary hint">{text}</span>
        </summary>
        <VariableList variables={members} />
      </details>
    )
  }
  if (!known) {
    return (
      <>
        {head}{' '}
        <span class="unknown" title={text}>
          not known
        </span>
      </>
    )
  }
  if (value === null) {
    return (
      <>
        {head} <span class="hint">{text}</span>
      </>
    )
  }
  return (
    <>
      {head} <code class="variable-value">{text}</code> <CopyButton text={text} label={`value of ${name}`} />
    </>
  )
}
