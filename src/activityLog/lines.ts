/**
 * Lines of text, in colours and with links that the output chooses.
 * @module
 */

/** Texts that are the hash or the address of what the explorer shows. */
export type Linked = 'transaction' | 'block' | 'address'

export type Tone = 'dim' | 'good' | 'bad' | 'name' | 'output' | Linked

/** @returns the text in the colour of the tone, if the output has colours, or as a link, if the output has links */
export type Paint = (tone: Tone, text: string) => string

export interface Span {
  readonly text: string
  readonly tone: Tone
}

export type Line = readonly (string | Span)[]

export function span(tone: Tone, text: string): Span {
  return { text, tone }
}

const LEADING_ADDRESS = /^0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/

/** @returns the text with a link, if it begins with an address, as a called function without a known contract does */
export function withAddress(text: string, paint: Paint): string {
  return text.replace(LEADING_ADDRESS, (address) => paint('address', address))
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
