/**
 * Decisions about TLS connections: versions, cipher suites and clients.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

export interface TlsChoice {
  readonly minVersion: TlsVersion
  readonly maxVersion: TlsVersion
  /** OpenSSL's list; undefined: the default */
  readonly ciphers: string | undefined
}

/** Newest first. Older versions are insecure and never allowed (RFC 8996). */
const VERSIONS: readonly TlsVersion[] = ['TLSv1.3', 'TLSv1.2']

/** Suites with forward secrecy and authenticated encryption: IANA's names and those of OpenSSL. */
const SUITES: ReadonlyMap<string, string> = new Map([
  ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384'],
  ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
])

/**
 * @param protocols unknown and older ones are dropped
 * @param suites IANA's names in the order of preference, for every version that remains possible; empty: the default
 * @throws {NodeError} INVALID_OPTION naming the suite, or when no version is left
 */
export function chooseTls(protocols: readonly string[], suites: readonly string[]): TlsChoice {
  const supported = VERSIONS.filter((version) => protocols.includes(version))
  if (supported.length === 0) {
    throw invalid(`No valid TLS protocols specified (the following protocols are enabled: [${VERSIONS.join(', ')}])`)
  }
  const names = suites.map(openSslName)
  // TLS libraries add the default suites of a version that has none in the list.
  const possible = supported.filter(
    (version) => names.length === 0 || names.some((name) => versionOf(name) === version),
  )
  const [newest, ...older] = possible
  if (newest === undefined) {
    throw invalid(`No valid TLS protocols specified: ${supported.join(', ')} has none of the cipher suites`)
  }
  return {
    minVersion: older[0] ?? newest,
    maxVersion: newest,
    ciphers: names.length === 0 ? undefined : names.join(':'),
  }
}

function openSslName(suite: string): string {
  const name = SUITES.get(suite)
  if (name !== undefined) return name
  throw invalid(`Invalid TLS cipher suite specified ${suite}. The known ones are ${[...SUITES.keys()].join(', ')}`)
}

/** OpenSSL uses IANA's names only for the suites of TLS 1.3. */
function versionOf(name: string): TlsVersion {
  return name.startsWith('TLS_') ? 'TLSv1.3' : 'TLSv1.2'
}

/** Clients whose certificates need no certificate authority. */
export class KnownClients {
  readonly #entries: ReadonlySet<string>

  /**
   * @param text lines of a common name and the SHA-256 fingerprint of a certificate; `#` begins a comment
   * @throws {NodeError} INVALID_OPTION naming the line
   */
  constructor(text: string) {
    const entries = new Set<string>()
    for (const [index, line] of text.split('\n').entries()) {
      const content = line.trim()
      if (content === '' || content.startsWith('#')) continue
      // A common name may contain spaces.
      const match = /^(.+?)\s+((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})$/i.exec(content)
      if (match === null) {
        throw invalid(`line ${index + 1} of the known clients file is not a common name and a SHA-256 fingerprint`)
      }
      entries.add(entryOf(match[1] as string, match[2] as string))
    }
    this.#entries = entries
  }

  has(commonName: string, fingerprint: string): boolean {
    return this.#entries.has(entryOf(commonName, fingerprint))
  }
}

function entryOf(commonName: string, fingerprint: string): string {
  return `${fingerprint.replaceAll(':', '').toLowerCase()} ${commonName.toLowerCase()}`
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
