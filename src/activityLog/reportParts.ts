import { consoleLines } from './callPath.ts'
import { indented, type Line, row, span } from './lines.ts'

/** The texts of `console.log`, below a heading. */
export function consoleBlock(texts: readonly string[]): Line[] {
  if (texts.length === 0) return []
  return [row('console.log'), ...texts.flatMap(consoleLines).map((line) => indented([span('output', line)], 4))]
}

/** The calls that led to a failure, the failed one first, as in a stack trace. */
export function pathLines(path: readonly string[] | undefined): Line[] {
  return [...(path ?? [])].reverse().map((text) => indented([span('dim', 'at '), text], 4))
}
