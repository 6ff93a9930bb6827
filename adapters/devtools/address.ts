/**
 * The chain that the query of the page's address names.
 *
 * | Query | Chain |
 * |---|---|
 * | none | the reader chooses |
 * | `?chain=NAME`, `&id=CHAIN_ID` | saved in this browser, created if it is absent |
 * | `?memory=yes`, `&id=CHAIN_ID` | new, in memory |
 * | `?fork=URL`, `&block=N` | continues the one at the address, in memory |
 * | `?wallet=RDNS`, `&block=N` | continues the one of the wallet, in memory |
 * | `?rpc=URL` | the one of the node at the address |
 * @module
 */
import type { NodeChoice } from './node/commands.ts'

export type Place =
  | { readonly kind: 'start' }
  | { readonly kind: 'remote'; readonly url: string }
  /** `wallet`: reverse domain name, or `injected`. */
  | { readonly kind: 'node'; readonly choice: NodeChoice; readonly wallet?: string | undefined }

/** Begins the names of databases, so that other pages of the origin may have theirs. */
const DATABASE_PREFIX = 'isonode/'
const NAME = /^[\w.-]{1,64}$/
const MAX_CHAIN_ID = 2 ** 32

/** Form of the values, for messages. */
export const EXPECTED: Readonly<Record<'name' | 'chainId' | 'url' | 'nodeUrl' | 'block', string>> = {
  name: 'up to 64 letters, digits, dots, dashes and underscores',
  chainId: `a number from 1 to ${MAX_CHAIN_ID}`,
  url: 'an address that begins with http://, https://, ws:// or wss://',
  nodeUrl: 'an address that begins with http:// or https://',
  block: 'a number, a hash, or empty for the newest block',
}

export const isName = (text: string): boolean => NAME.test(text)
export const isChainId = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number(text) <= MAX_CHAIN_ID
export const isBlock = (text: string): boolean => /^(?:-?\d{1,15}|0x[0-9a-fA-F]{64}|latest|safe|finalized)$/.test(text)
export const isForkUrl = (text: string): boolean => hasScheme(text, ['http:', 'https:', 'ws:', 'wss:'])
export const isNodeUrl = (text: string): boolean => hasScheme(text, ['http:', 'https:'])

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol)
}

/** @throws {RangeError} that names the part that cannot be used */
export function placeOf(query: string): Place {
  const values = new URLSearchParams(query)
  const rpc = values.get('rpc')
  if (rpc !== null) return { kind: 'remote', url: checked('rpc', rpc, isNodeUrl, EXPECTED.nodeUrl) }
  const choice = choiceOf(values)
  if (choice === undefined) return { kind: 'start' }
  return { kind: 'node', choice, wallet: values.get('wallet') ?? undefined }
}

function choiceOf(values: URLSearchParams): NodeChoice | undefined {
  const [chain, fork] = [values.get('chain'), values.get('fork')]
  const id = optional('id', values, isChainId, EXPECTED.chainId)
  const chainId = id === undefined ? undefined : Number(id)
  if (chain !== null) {
    return { kind: 'saved', database: databaseOf(checked('chain', chain, isName, EXPECTED.name)), chainId }
  }
  if (values.has('memory')) return { kind: 'memory', chainId }
  const block = optional('block', values, isBlock, EXPECTED.block)
  if (fork !== null) return { kind: 'fork', url: checked('fork', fork, isForkUrl, EXPECTED.url), block }
  return values.has('wallet') ? { kind: 'wallet', block } : undefined
}

function optional(
  name: string,
  values: URLSearchParams,
  accepts: (text: string) => boolean,
  expected: string,
): string | undefined {
  const text = values.get(name) ?? ''
  return text === '' ? undefined : checked(name, text, accepts, expected)
}

function checked(name: string, text: string, accepts: (text: string) => boolean, expected: string): string {
  if (accepts(text)) return text
  throw new RangeError(`The address of this page has “${text.slice(0, 80)}” for ${name}: expected ${expected}.`)
}

/** The query of a place; parts that are undefined or empty are left out. */
export function queryOf(parts: Readonly<Record<string, string | undefined>>): string {
  const values = new URLSearchParams()
  for (const [name, value] of Object.entries(parts)) if (value !== undefined && value !== '') values.set(name, value)
  return `?${values}`
}

export const databaseOf = (name: string): string => DATABASE_PREFIX + name

/** `dev` for `isonode/dev`; undefined: the name cannot be in an address. */
export function nameOf(database: string): string | undefined {
  const name = database.slice(DATABASE_PREFIX.length)
  return isName(name) ? name : undefined
}
