/** JSON for readers: short members on one line, long values cut with an ellipsis. */

const WIDTH = 110
const MAX_TEXT = 140
const SHOWN_TEXT = 66
const MAX_LINES = 60
const GZIP = '0x1f8b08'

interface Limits {
  readonly items: number
  readonly depth: number
}

const STEPS: readonly Limits[] = [
  { items: 4, depth: 12 },
  { items: 1, depth: 6 },
  { items: 1, depth: 3 },
  { items: 1, depth: 2 },
]

/** @returns JSON of at most 60 lines; cut members are texts that contain `…` */
export function jsonSample(value: unknown): string {
  const texts = STEPS.map((limits) => layOut(cut(value, limits), ''))
  return texts.find((text) => text.split('\n').length <= MAX_LINES) ?? (texts.at(-1) as string)
}

function cut(value: unknown, { items, depth }: Limits): unknown {
  // Compressed bytes differ between machines.
  if (typeof value === 'string' && value.startsWith(GZIP)) return `${GZIP}…`
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, SHOWN_TEXT)}…` : value
  if (typeof value !== 'object' || value === null) return value
  const inner = { items, depth: depth - 1 }
  if (Array.isArray(value)) {
    if (depth <= 0) return value.length === 0 ? value : [`… ${value.length} items`]
    const shown = value.slice(0, value.length > items + 1 ? items : value.length).map((item) => cut(item, inner))
    return shown.length < value.length ? [...shown, `… ${value.length - shown.length} more`] : shown
  }
  const entries = Object.entries(value)
  if (depth <= 0) return entries.length === 0 ? value : { '…': `${entries.length} members` }
  return Object.fromEntries(entries.map(([name, member]) => [name, cut(member, inner)]))
}

function layOut(value: unknown, indent: string): string {
  const line = oneLine(value)
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  const members = Array.isArray(value)
    ? value.map((item) => `${inner}${layOut(item, inner)}`)
    : Object.entries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${layOut(member, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}

export function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
