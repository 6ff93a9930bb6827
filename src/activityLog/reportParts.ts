import { MAX_LOGGED_STACK_LINES } from '../base/limits/limits.ts'
import { grouped } from '../base/primitives/amounts.ts'
import { consoleLines } from './callPath.ts'
import { heading, indented, nextLines, type Paint, span } from './lines.ts'

/** The texts of `console.log`, below a heading. */
export function consoleBlock(texts: readonly string[], paint: Paint): string {
  if (texts.length === 0) return ''
  const lines = texts.flatMap(consoleLines).map((line) => indented([span('output', line)], 4))
  return heading(paint, 'console.log') + nextLines(lines, paint)
}

/**
 * The way to a failure, the failed function first.
 * @param path calls, outermost first; shown when no lines of the source are known
 * @param stack functions, innermost first
 */
export function pathLines(
  path: readonly string[] | undefined,
  stack: readonly string[] | undefined,
  paint: Paint,
): string {
  if (path === undefined) return ''
  const texts = stack ?? [...path].reverse()
  const lines = texts.slice(0, MAX_LOGGED_STACK_LINES).map((text) => indented([span('dim', 'at '), text], 4))
  const hidden = texts.length - lines.length
  if (hidden > 0) lines.push(indented([span('dim', `… ${grouped(hidden)} more`)], 4))
  return nextLines(lines, paint)
}
