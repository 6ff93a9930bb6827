/**
 * Places at which the debugger stops.
 * @module
 */
import type { Where } from './types.ts'

export type Breakpoint =
  | { readonly kind: 'line'; readonly path: string; readonly line: number }
  | { readonly kind: 'pc'; readonly address: string; readonly pc: number }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'slot'; readonly slot: string }
  | { readonly kind: 'event'; readonly topic: string }

/** Of a list. */
export const MAX_BREAKPOINTS = 32

/** Without the breakpoint if the list has it, otherwise with it; the oldest ones make room. */
export function toggled(list: readonly Breakpoint[], breakpoint: Breakpoint): readonly Breakpoint[] {
  const name = nameOf(breakpoint)
  const others = list.filter((one) => nameOf(one) !== name)
  return others.length === list.length ? [...others, breakpoint].slice(-MAX_BREAKPOINTS) : others
}

/** A unique name, which readers see. */
export function nameOf(breakpoint: Breakpoint): string {
  switch (breakpoint.kind) {
    case 'line':
      return `${breakpoint.path}:${breakpoint.line}`
    case 'pc':
      return `pc ${breakpoint.pc} of ${breakpoint.address}`
    case 'function':
      return `function ${breakpoint.name}`
    case 'slot':
      return `slot ${breakpoint.slot}`
    case 'event':
      return `event ${breakpoint.topic}`
  }
}

export function whereOf(breakpoint: Breakpoint): Where {
  switch (breakpoint.kind) {
    case 'line':
      return { line: { source: breakpoint.path, line: breakpoint.line }, newLine: true }
    case 'pc':
      return { address: breakpoint.address, pc: breakpoint.pc }
    case 'function':
      return { function: breakpoint.name }
    case 'slot':
      return { slot: breakpoint.slot }
    case 'event':
      return { topic: breakpoint.topic }
  }
}

/**
 * The breakpoint that a reader has typed: `Vault.sol:12`, `pc 5`, `slot 0x0`, `topic 0x…`, or the name of a function.
 * @param address code in which a pc is meant
 */
export function parseBreakpoint(text: string, address: string): Breakpoint | undefined {
  const trimmed = text.trim()
  const [, path, line] = /^(.+):(\d{1,7})$/.exec(trimmed) ?? []
  if (path !== undefined && line !== undefined) return { kind: 'line', path, line: Number(line) }
  const [, kind, value = ''] = /^(pc|slot|topic)\s+(\S+)$/i.exec(trimmed) ?? []
  switch (kind?.toLowerCase()) {
    case 'pc':
      return /^(?:0x[0-9a-f]+|\d+)$/i.test(value) ? { kind: 'pc', address, pc: Number(value) } : undefined
    case 'slot':
      return /^0x[0-9a-f]{1,64}$/i.test(value) ? { kind: 'slot', slot: padded(value) } : undefined
    case 'topic':
      return /^0x[0-9a-f]{64}$/i.test(value) ? { kind: 'event', topic: value } : undefined
    default:
      return /^[\w$]+$/.test(trimmed) ? { kind: 'function', name: trimmed } : undefined
  }
}

function padded(hex: string): string {
  return `0x${hex.slice(2).padStart(64, '0')}`
}
