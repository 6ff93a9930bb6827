import { CONSOLE } from '../../abi/callRecorder.ts'
import { ConsoleReader } from '../../abi/consoleLog.ts'
import { MAX_SUMMARY_CONSOLE_TEXTS } from '../../base/limits/limits.ts'
import type { CallFrame } from '../../tracing/geth/callTree.ts'

const MAX_TEXT_LENGTH = 4_096

/** The texts of `console.log` in a call and the calls that it made, also of those that failed. */
export function consoleTexts(root: CallFrame | undefined): {
  readonly texts: readonly string[]
  readonly isCut: boolean
} {
  const texts: string[] = []
  const reader = new ConsoleReader()
  let isCut = false
  const visit = ({ to, input, calls = [] }: CallFrame): void => {
    if (to === CONSOLE && texts.length === MAX_SUMMARY_CONSOLE_TEXTS) isCut = true
    else if (to === CONSOLE) texts.push(cutText(reader.text(input)))
    for (const call of calls) visit(call)
  }
  if (root !== undefined) visit(root)
  return { texts, isCut }
}

function cutText(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`
}
