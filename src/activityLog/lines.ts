/**
 * Lines of text with colours as data.
 * @module
 */

export type Tone = 'dim' | 'good' | 'bad' | 'name' | 'output'

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
export function lineText(line: Line, paint: (tone: Tone, text: string) => string): string {
  let text = ''
  for (const part of line) text += typeof part === 'string' ? part : paint(part.tone, part.text)
  return text
}

const LABEL_WIDTH = 14

/** A row of a report. */
export function row(label: string, ...content: Line): Line {
  return ['  ', span('dim', content.length === 0 ? label : label.padEnd(LABEL_WIDTH)), ...content]
}
