import type { VNode } from 'preact'
import { Field } from '../../components/Field.tsx'
import { useDraft } from '../../state/drafts.ts'
import type { Method } from './document.ts'

interface Props {
  readonly methods: readonly Method[]
  /** Name of the open method. */
  readonly active: string | undefined
}

/** The methods whose name or summary has all words of the filter. */
export function MethodList({ methods, active }: Props): VNode {
  const [filter, setFilter] = useDraft('filter')
  const words = filter.toLowerCase().split(/\s+/)
  const shown = methods.filter(({ name, summary }) => {
    const text = `${name} ${summary}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <nav class="methods" aria-label="Methods">
      <Field label="Filter" value={filter} onInput={setFilter} placeholder={`${methods.length} methods`} />
      <ul class="plain">
        {shown.map(({ name }) => (
          <li key={name} data-row="">
            <a
              href={`#/console?method=${encodeURIComponent(name)}`}
              aria-current={name === active ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No method fits.</p>}
    </nav>
  )
}
