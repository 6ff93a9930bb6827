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

/** SGR parameters. */
const COLOURS: Readonly<Record<Tone, number>> = { dim: 2, good: 32, bad: 31, name: 36, output: 33 }

export function span(tone: Tone, text: string): Span {
  return { text, tone }
}

/** The line with a margin of spaces, without a line feed. */
export function indented(line: Line, spaces: number): Line {
  return [' '.repeat(spaces), ...line]
}

/** @param hasColours whether tones become ANSI escape sequences */
export function lineText(line: Line, hasColours: boolean): string {
  let text = ''
  for (const part of line) {
    if (typeof part === 'string') text += part
    else text += hasColours ? `\x1b[${COLOURS[part.tone]}m${part.text}\x1b[0m` : part.text
  }
  return text
}

const LABEL_WIDTH = 14

/** A row of a report. */
export function row(label: string, ...content: Line): Line {
  return ['  ', span('dim', label.padEnd(LABEL_WIDTH)), ...content]
}
