/**
 * Refused hosts and origins: the option that would allow them, and the answer that names it.
 * @module
 */
import { splitHostPort } from '../base/primitives/hostPort.ts'
import { printable } from '../base/primitives/printable.ts'

export interface Refusal {
  readonly kind: 'host' | 'origin'
  /** Value of the header; empty when it is absent. From outside: print it escaped. */
  readonly value: string
  /** Option with the value that would allow it, ready for a command line; undefined when no list can contain it. */
  readonly option: string | undefined
}

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 100

const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.-]+(?::\d{1,5})?)$/i

/** @param allowed the list that the option sets */
export function hostRefusal(host: string | undefined, allowed: readonly string[]): Refusal {
  const name = splitHostPort(host ?? '')?.host
  const option = name && `--host-allowlist=${quoted(withNew(allowed, name).join(','))}`
  return { kind: 'host', value: cut(host ?? ''), option }
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

/** For the client. */
export function refusalText({ kind, value, option }: Refusal): string {
  const what = value === '' ? `A request without ${kind}` : `The ${kind} ${printable(value)}`
  return `${what} is not allowed. ${option === undefined ? expected(value) : `To allow it, start the node with ${option}`}`
}

function expected(host: string): string {
  return host === ''
    ? "Expected a Host header; --host-allowlist='*' allows requests without one, and any host"
    : 'Expected a name or an IP address, with or without a port; IPv6 in brackets'
}
