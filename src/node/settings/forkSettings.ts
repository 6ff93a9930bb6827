/**
 * Options of a fork as settings of its parts.
 * @module
 */
import type { ForkResetTarget } from '../../api/forkAccess.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { NodeOptions } from '../../config/options.ts'
import { isFork } from '../../config/storageOptions.ts'
import type { VerifyMode } from '../../fork/contract.ts'
import type { ForkReference } from '../../fork/forkPoint.ts'

export interface ForkSettings {
  /** First choice first; with paths and credentials, which are never shown. */
  readonly urls: readonly string[]
  readonly target: ForkReference
  /** Whether the target was given: the stored chain must then begin there. */
  readonly isTargetGiven: boolean
  /** Chain id of the remote; undefined: it is asked. */
  readonly chainId: bigint | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  readonly retries: number
  readonly backoffMs: number
  /** undefined: as the remote accepts */
  readonly requestsPerSecond: number | undefined
  readonly verify: VerifyMode
  /** Directory; undefined: the default one. */
  readonly cacheDirectory: string | undefined
  readonly isCached: boolean
  readonly cacheBytes: number
  readonly isOffline: boolean
  readonly packFile: string | undefined
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:'])
const TAGS = ['latest', 'safe', 'finalized'] as const

/**
 * @returns undefined when the node continues no other chain
 * @throws {NodeError} INVALID_OPTION
 */
export function forkSettings(options: NodeOptions): ForkSettings | undefined {
  return isFork(options) ? toForkSettings(options) : undefined
}

/** @throws {NodeError} INVALID_OPTION */
export function toForkSettings(options: NodeOptions): ForkSettings {
  const given = options['fork-url'].map(splitUrl)
  const packFile = options['fork-pack']
  const block = options['fork-block-number'] ?? given.find((each) => each.block !== undefined)?.block
  const transaction = options['fork-transaction-hash']
  const chainId = options['fork-chain-id']
  return {
    urls: given.map(({ url }) => url),
    target:
      transaction === undefined
        ? targetOf(block ?? 'latest')
        : { kind: 'transaction', hash: hashOf('fork-transaction-hash', transaction) },
    isTargetGiven: block !== undefined || transaction !== undefined,
    chainId: chainId === undefined ? undefined : BigInt(chainId),
    headers: options['fork-header'].map(headerOf),
    timeoutMs: options['fork-timeout'],
    retries: options['fork-retries'],
    backoffMs: options['fork-retry-backoff'],
    requestsPerSecond: options['fork-requests-per-second'] || undefined,
    verify: options['fork-verify'],
    cacheDirectory: options['fork-cache'],
    isCached: options['fork-cache']?.toLowerCase() !== 'none',
    cacheBytes: options['fork-cache-size'],
    isOffline: options['fork-offline'],
    packFile,
  }
}

/**
 * The settings of a fork that a request asks for: those of the options, at another address and block.
 * @throws {NodeError} INVALID_OPTION
 */
export function requestedFork(options: NodeOptions, { url, block }: ForkResetTarget): ForkSettings {
  const own = { 'fork-url': [], 'fork-chain-id': undefined, 'fork-pack': undefined }
  return {
    ...toForkSettings({ ...options, ...own }),
    urls: url === undefined ? [] : [checkedUrl(url)],
    target: targetOf(block ?? 'latest'),
  }
}

/** `URL@BLOCK`: an @ of the credentials stands before the host. */
function splitUrl(text: string): { readonly url: string; readonly block: string | undefined } {
  const [, url = text, block] = /^(.+)@(-?\d+|0x[0-9a-f]+|latest|safe|finalized)$/i.exec(text) ?? []
  return { url: checkedUrl(url), block }
}

/** Messages do not repeat the address, which may hold a key. */
export function checkedUrl(text: string): string {
  if (!URL.canParse(text)) throw invalid('fork-url', 'it is not a URL')
  const { protocol } = new URL(text)
  if (!SCHEMES.has(protocol))
    throw invalid('fork-url', `its scheme is ${protocol.slice(0, -1)}, not http, https, ws or wss`)
  return text
}

/** Scheme, host and port: the rest of an address may hold a key. */
export function originOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

/**
 * @param text a number, a negative number, a hash or a tag
 * @throws {NodeError} INVALID_OPTION
 */
export function targetOf(text: string): ForkReference {
  const lower = text.trim().toLowerCase()
  const tag = TAGS.find((each) => each === lower)
  if (tag !== undefined) return { kind: 'tag', tag }
  if (/^0x[0-9a-f]{64}$/.test(lower)) return { kind: 'hash', hash: hexToBytes(lower) }
  const number = /^(?:-?\d+|0x[0-9a-f]+)$/.test(lower) ? Number(lower) : Number.NaN
  if (Number.isSafeInteger(number)) return { kind: 'number', number }
  throw invalid('fork-block-number', `'${text}' is not a number, a hash, latest, safe or finalized`)
}

function hashOf(option: string, text: string): Uint8Array {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return hexToBytes(text)
  throw invalid(option, `'${text}' is not a hash of 32 bytes`)
}

function headerOf(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw invalid('fork-header', 'it is not of the form "Name: value"')
  return [name, value]
}

function invalid(option: string, reason: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, `Invalid value for option '--${option}': ${reason}`)
}
