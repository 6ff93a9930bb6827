import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  /** Form of the value: `uint256`. */
  readonly hint?: string | undefined
  /** Why the value cannot be used. */
  readonly error?: string | undefined
  readonly placeholder?: string
  readonly type?: 'text' | 'password'
  /** Lines; more than one makes a text area */
  readonly rows?: number
  /** Values to choose from instead of writing. */
  readonly choices?: readonly (readonly [value: string, label: string])[]
  readonly autoComplete?: string
}

export function Field(props: Props): VNode {
  const id = useId()
  const { label, hint, error } = props
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Input {...props} id={id} described={described === '' ? undefined : described} />
      {error && (
        <span class="error-text" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  )
}

type InputProps = Props & { readonly id: string; readonly described: string | undefined }

function Input({
  id,
  described,
  value,
  onInput,
  error,
  placeholder,
  type = 'text',
  rows = 1,
  choices,
  autoComplete,
}: InputProps): VNode {
  const common = {
    id,
    value,
    'aria-describedby': described,
    'aria-invalid': error !== undefined,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onInput(currentTarget.value),
  }
  if (choices !== undefined) {
    return (
      <select {...common}>
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  if (rows > 1) return <textarea {...common} rows={rows} placeholder={placeholder} spellcheck={false} />
  return (
    <input
      {...common}
      type={type as 'text'}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete={autoComplete ?? 'off'}
    />
  )
}
