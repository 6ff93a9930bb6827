/**
 * The enclave of a node, and the files of private transactions.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { EnclaveTransport } from '../../../src/base/ports/enclave.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { fromBase64 } from '../../../src/base/primitives/base64.ts'
import { tryHexToBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { isPrivateKey } from '../../../src/base/primitives/secp256k1.ts'
import type { PrivacyHost } from '../../../src/node/host.ts'
import type { EnclaveTlsFiles, PrivacySettings, RemoteEnclaveSettings } from '../settings.ts'
import { type EnclaveTls, HttpEnclave } from './httpEnclave.ts'
import type { RunningEnclave } from './running.ts'

export interface OpenedPrivacy {
  readonly host: PrivacyHost
  /** undefined if the enclave is another program */
  readonly enclave: RunningEnclave | undefined
}

/**
 * Starts the enclave of the node if it has its own.
 * @param settings undefined without private transactions
 * @param directory data directory of the node; undefined for a node in memory
 * @returns undefined without private transactions
 * @throws {NodeError} INVALID_OPTION naming the option and its fault, and the errors of `startEnclave`; no message
 * contains a key
 */
export async function openPrivacy(
  settings: PrivacySettings | undefined,
  directory: string | undefined,
  logger: Logger,
): Promise<OpenedPrivacy | undefined> {
  if (settings === undefined) return undefined
  const { keyFile, markerKeyFile, embedded, remote } = settings
  const key = keyFile === undefined ? undefined : enclaveKey(keyFile)
  const signingKey = markerKeyFile === undefined ? undefined : markerKey(markerKeyFile)
  const enclave =
    embedded && (await (await import('./running.ts')).startEnclave(embedded, directory, logger.child('enclave')))
  const publicKeys = enclave?.enclave.publicKeys
  if (publicKeys !== undefined && key !== undefined && !publicKeys.includes(key)) {
    await enclave?.close()
    throw invalid(`--privacy-public-key-file: the enclave has no secret key for the key in ${keyFile}`)
  }
  const user = key ?? publicKeys?.[0]
  const host: PrivacyHost = {
    transport: enclave?.enclave.transport() ?? remoteEnclave(remote),
    users: user === undefined || settings.hasTenants ? { kind: 'tenants' } : { kind: 'single', key: user },
    markerKey: signingKey,
    isFlexible: settings.isFlexible,
  }
  return { host, enclave }
}

function remoteEnclave({ url, tls }: RemoteEnclaveSettings): EnclaveTransport {
  return new HttpEnclave(enclaveUrl(url, tls !== undefined), tls && tlsOptions(tls))
}

function enclaveUrl(text: string, hasTls: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid(`--privacy-url=${text} is not an HTTP URL`)
  if (hasTls) url.protocol = 'https:'
  return url
}

/** The whole content is the key. */
function enclaveKey(file: string): string {
  const key = read(file, 'privacy-public-key-file').toString('utf8').trim()
  if (fromBase64(key)?.length !== 32)
    throw invalid(`Contents of enclave public key file ${file} are not the Base64 of 32 bytes`)
  return key
}

function markerKey(file: string): Uint8Array {
  const name = 'privacy-marker-transaction-signing-key-file'
  const text = read(file, name).toString('utf8').trim()
  const key = tryHexToBytes(text)
  if (key === undefined || key.length !== 32 || !isPrivateKey(key))
    throw invalid(`--${name}: ${file} is not a private key`)
  return key
}

function tlsOptions({ keyStore, passwordFile, knownEnclavesFile }: EnclaveTlsFiles): EnclaveTls {
  const secret =
    keyStore === undefined
      ? {}
      : {
          pfx: read(keyStore, 'privacy-tls-keystore-file'),
          passphrase:
            passwordFile === undefined
              ? ''
              : (read(passwordFile, 'privacy-tls-keystore-password-file').toString('utf8').split(/\r?\n/)[0] ?? ''),
        }
  return {
    options: secret,
    knownEnclaves: knownEnclavesFile === undefined ? undefined : knownEnclaves(knownEnclavesFile),
  }
}

/** Lines of `host:port` and the fingerprint of the certificate. */
function knownEnclaves(file: string): ReadonlyMap<string, string> {
  const keysByUrl = new Map<string, string>()
  for (const line of read(file, 'privacy-tls-known-enclave-file').toString('utf8').split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [name, fingerprint] = line.trim().split(/\s+/)
    const digits = fingerprint?.replaceAll(':', '').toLowerCase()
    if (name === undefined || digits === undefined || !/^[0-9a-f]{64}$/.test(digits)) {
      throw invalid(`--privacy-tls-known-enclave-file: a line of ${file} is not "host:port fingerprint"`)
    }
    keysByUrl.set(name, digits)
  }
  return keysByUrl
}

function read(file: string, option: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw invalid(`--${option}: ${file} cannot be read`, cause)
  }
}

function invalid(message: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message, { cause })
}
