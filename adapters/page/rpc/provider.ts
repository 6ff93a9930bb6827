/**
 * Which provider the page speaks to.
 * @module
 */
import type { Provider } from './eip1193.ts'
import { HttpProvider } from './httpProvider.ts'

/** Where requests go, for people: `127.0.0.1:8545`. */
function endpointOf(location: Location): URL {
  const given = new URLSearchParams(location.search).get('rpc')
  const url = given === null ? undefined : URL.parse(given, location.href)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : new URL('/', location.href)
}

/** The address of the node for other programs; undefined for a node in the page, which has none. */
export function nodeUrl(): string | undefined {
  return globalThis.isonodeProvider === undefined ? endpointOf(location).href : undefined
}

/** The injected provider, or the node that `?rpc=` names, or the node that served the page. */
export function openProvider(): Provider {
  return globalThis.isonodeProvider ?? new HttpProvider(endpointOf(location))
}
