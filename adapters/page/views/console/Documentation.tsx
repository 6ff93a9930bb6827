import type { VNode } from 'preact'
import { Prose } from '../../components/Prose.tsx'
import type { Method } from './document.ts'

/** The node's description of a method. */
export function Documentation({ method: { summary, result, errors } }: { readonly method: Method }): VNode {
  return (
    <div class="stack">
      <p>
        <Prose text={summary} />
      </p>
      {result && (
        <p class="muted">
          Returns <code>{result}</code>.
        </p>
      )}
      {errors.length > 0 && (
        <details>
          <summary>Errors of this method: {errors.length}</summary>
          <ul>
            {errors.map(({ code, message }, i) => (
              <li key={i}>
                <code>{code}</code> {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
