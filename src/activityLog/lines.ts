/**
 * Lines of text, in colours that the output chooses.
 * @module
 */

export type Tone = 'dim' | 'good' | 'bad' | 'name' | 'output'

/** @returns the text in the colour of the tone, if the output has colours */
export type Paint = (tone: Tone, text: string) => string

export interface Span {
  readonly text: string
  readonly tone: Tone
}

export type Line = readonly (string | Span)[]

export function span(tone: Tone, text: string): Span {
  return { text, tone }
}

/** The line with a margin of spaces. */
export function indented(line: Line, spaces: number): Line {
  return [' '.repeat(spaces), ...line]
}

/** The line as text, without a line end. */
function lineText(line: Line, paint: Paint): string {
  let text = ''
  for (const part of line) text += typeof part === 'string' ? part : paint(part.tone, part.text)
  return text
}

/** The lines as text, each after a line end. */
export function nextLines(lines: readonly Line[], paint: Paint): string {
  let text = ''
  for (const line of lines) text += `\n${lineText(line, paint)}`
  return text
}

const LABEL_WIDTH = 14

/** A row of a report, after a line end. */
export function row(paint: Paint, label: string, content: string): string {
  return `\n  ${paint('dim', label.padEnd(LABEL_WIDTH))}${content}`
}

/** The heading of further lines, after a line end. */
export function heading(paint: Paint, label: string): string {
  return `\n  ${paint('dim', label)}`
}
