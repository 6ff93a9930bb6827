import { consoleLines } from './callPath.ts'
import { heading, indented, nextLines, type Paint, span } from './lines.ts'

/** The texts of `console.log`, below a heading. */
export function consoleBlock(texts: readonly string[], paint: Paint): string {
  if (texts.length === 0) return ''
  const lines = texts.flatMap(consoleLines).map((line) => indented([span('output', line)], 4))
  return heading(paint, 'console.log') + nextLines(lines, paint)
}

/** The calls that led to a failure, the failed one first, as in a stack trace. */
export function pathLines(path: readonly string[] | undefined, paint: Paint): string {
  if (path === undefined) return ''
  const lines = [...path].reverse().map((text) => indented([span('dim', 'at '), text], 4))
  return nextLines(lines, paint)
}
