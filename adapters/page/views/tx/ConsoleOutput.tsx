import type { VNode } from 'preact'
import { plainText } from '../../../../src/abi/plainText.ts'

const MAX_LINE = 2000

/** Lines that contracts printed with `console.log`. */
export function ConsoleOutput({ lines }: { readonly lines: readonly string[] }): VNode {
  return (
    <section aria-label="Console output">
      <pre>{lines.map((line) => plainText(line, MAX_LINE)).join('\n')}</pre>
    </section>
  )
}
