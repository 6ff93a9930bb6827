/**
 * A host and its port as text. An IPv6 address stands in brackets.
 * @see RFC 3986 section 3.2.2; RFC 9110 section 7.2
 * @module
 */
import { ipText, parseIp } from './ipAddress.ts'

export interface HostPort {
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

const FORM = /^([\w.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** The host in front of a port. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

export function hostPort({ host, port }: HostPort): string {
  return `${bracketed(host)}:${port}`
}

/** @returns the URL without a path */
export function urlOf(scheme: 'http' | 'ws', server: HostPort & { readonly isSecure?: boolean | undefined }): string {
  return `${scheme}${server.isSecure === true ? 's' : ''}://${hostPort(server)}`
}

/**
 * @param text a host, or a host and a port; an IPv6 address in brackets
 * @returns the host as {@link normalHost}; undefined when the text has another form
 */
export function splitHostPort(text: string): { readonly host: string; readonly port: number | undefined } | undefined {
  const [, host, port] = FORM.exec(text) ?? []
  if (host === undefined) return undefined
  const isName = !host.startsWith('[')
  if (!isName && parseIp(host.slice(1, -1)) === undefined) return undefined
  return { host: normalHost(host), port: port === undefined ? undefined : Number(port) }
}

/** Equal hosts have equal texts: names in lower case, IPv6 addresses without brackets and in the form of RFC 5952. */
export function normalHost(host: string): string {
  const name = host.toLowerCase()
  if (!name.includes(':')) return name
  const plain = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  const bytes = parseIp(plain)
  return (bytes && ipText(bytes)) ?? name
}
