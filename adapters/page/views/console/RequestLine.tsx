import type { VNode } from 'preact'
import type { ConsoleRequest } from './consoleRequest.ts'

const MAX_SHOWN = 200

export function RequestLine({ request: { method, params } }: { readonly request: ConsoleRequest }): VNode {
  const text = JSON.stringify(params).slice(1, -1)
  return (
    <code>
      {method}({text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text})
    </code>
  )
}
