/**
 * Refused hosts and origins: the option that would allow them, and the answer that names it.
 * @module
 */
import { printable } from '../base/primitives/printable.ts'

export interface Refusal {
  readonly kind: 'host' | 'origin'
  /** Value of the header; empty when it is absent. From outside: print it escaped. */
  readonly value: string
  /** Option with the value that would allow it, ready for a command line. */
  readonly option: string
}

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 100

const NAME = /^[\w.-]+$/
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.-]+(?::\d{1,5})?)$/i

/** @param allowed the list that the option sets */
export function hostRefusal(host: string | undefined, allowed: readonly string[]): Refusal {
  const [name = '', ...rest] = (host ?? '').split(':')
  // Only a plain name can be listed; a text with other characters must not end up on a command line.
  const values = rest.length <= 1 && NAME.test(name) ? withNew(allowed, name) : ['*']
  return { kind: 'host', value: cut(host ?? ''), option: `--host-allowlist=${quoted(values.join(','))}` }
}

/**
 * @param allowed patterns that the option sets
 * @param option without dashes
 */
export function originRefusal(origin: string, allowed: readonly string[], option: string): Refusal {
  const values = ORIGIN.test(origin) ? withNew(allowed, origin.replaceAll('.', '\\.').replaceAll('+', '\\+')) : ['*']
  return { kind: 'origin', value: cut(origin), option: `--${option}=${quoted(values.join(','))}` }
}

function withNew(allowed: readonly string[], value: string): readonly string[] {
  return [...allowed.filter((item) => item !== 'none'), value]
}

function quoted(text: string): string {
  return /^[\w.,:/-]+$/.test(text) ? text : `'${text}'`
}

function cut(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value
}

/** One sentence for the client. */
export function refusalText({ kind, value, option }: Refusal): string {
  const what = value === '' ? `A request without ${kind}` : `The ${kind} ${printable(value)}`
  return `${what} is not allowed. To allow it, start the node with ${option}`
}
