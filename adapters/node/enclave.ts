/**
 * The connection to the enclave over HTTP or HTTPS, and the files of private transactions.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import { ENCLAVE_ANSWER_MS, ENCLAVE_CONNECT_MS, MAX_ENCLAVE_ANSWER_BYTES } from '../../src/config/limits.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import type { PrivacyHost } from '../../src/node/host.ts'
import type { EnclaveAnswer, EnclaveTransport } from '../../src/ports/enclave.ts'
import { fromBase64 } from '../../src/primitives/base64.ts'
import { tryHexToBytes } from '../../src/primitives/bytes.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { isPrivateKey } from '../../src/primitives/secp256k1.ts'

const CONNECTIONS = 8

/**
 * @returns undefined without private transactions
 * @throws {NodeError} INVALID_OPTION naming the option and its fault; no message contains a key
 */
export function openPrivacyHost(options: NodeOptions): PrivacyHost | undefined {
  if (!options['privacy-enabled']) return undefined
  const keyFile = options['privacy-public-key-file']
  const markerFile = options['privacy-marker-transaction-signing-key-file']
  return {
    transport: new HttpEnclave(enclaveUrl(options), options['privacy-tls-enabled'] ? tlsOptions(options) : undefined),
    users: keyFile === undefined ? { kind: 'tenants' } : { kind: 'single', key: enclaveKey(keyFile) },
    markerKey: markerFile === undefined ? undefined : markerKey(markerFile),
    isFlexible: options['privacy-flexible-groups-enabled'],
  }
}

function enclaveUrl(options: NodeOptions): URL {
  const text = options['privacy-url']
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid(`--privacy-url=${text} is not an HTTP URL`)
  if (options['privacy-tls-enabled']) url.protocol = 'https:'
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

interface EnclaveTls {
  readonly options: https.AgentOptions
  /** SHA-256 fingerprints by host and port; undefined: certificate authorities decide. */
  readonly known: ReadonlyMap<string, string> | undefined
}

function tlsOptions(options: NodeOptions): EnclaveTls {
  const keyStore = options['privacy-tls-keystore-file']
  const passwordFile = options['privacy-tls-keystore-password-file']
  const knownFile = options['privacy-tls-known-enclave-file']
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
  return { options: secret, known: knownFile === undefined ? undefined : knownEnclaves(knownFile) }
}

/** Lines of `host:port` and the fingerprint of the certificate. */
function knownEnclaves(file: string): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const line of read(file, 'privacy-tls-known-enclave-file').toString('utf8').split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [name, fingerprint] = line.trim().split(/\s+/)
    const digits = fingerprint?.replaceAll(':', '').toLowerCase()
    if (name === undefined || digits === undefined || !/^[0-9a-f]{64}$/.test(digits)) {
      throw invalid(`--privacy-tls-known-enclave-file: a line of ${file} is not "host:port fingerprint"`)
    }
    known.set(name, digits)
  }
  return known
}

/** An enclave on the network. */
export class HttpEnclave implements EnclaveTransport {
  readonly #url: URL
  readonly #known: ReadonlyMap<string, string> | undefined
  readonly #agent: http.Agent

  constructor(url: URL, tls?: EnclaveTls) {
    this.#url = url
    this.#known = tls?.known
    const pool = { keepAlive: true, maxSockets: CONNECTIONS }
    const trust = tls?.known === undefined ? {} : { rejectUnauthorized: false }
    this.#agent =
      url.protocol === 'https:' ? new https.Agent({ ...pool, ...tls?.options, ...trust }) : new http.Agent(pool)
  }

  post(path: string, contentType: string, body: string): Promise<EnclaveAnswer> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(body)
      const { request } = this.#url.protocol === 'https:' ? https : http
      const sent = request(new URL(path, this.#url), {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': contentType, 'content-length': bytes.length },
      })
      const whole = setTimeout(() => sent.destroy(new Error('no answer in time')), ENCLAVE_ANSWER_MS)
      sent.on('socket', (socket) => this.#watch(sent, socket as TLSSocket))
      sent.on('error', (error) => {
        clearTimeout(whole)
        reject(error)
      })
      sent.on('response', (response) => {
        collect(response).then(
          (text) => {
            clearTimeout(whole)
            resolve({ status: response.statusCode ?? 0, body: text })
          },
          (error) => {
            clearTimeout(whole)
            sent.destroy()
            reject(error)
          },
        )
      })
      sent.end(bytes)
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Limits the time to connect, and compares the certificate of a known enclave. */
  #watch(sent: http.ClientRequest, socket: TLSSocket): void {
    if (!socket.connecting) return
    const timer = setTimeout(() => sent.destroy(new Error('no connection in time')), ENCLAVE_CONNECT_MS)
    sent.once('close', () => clearTimeout(timer))
    socket.once(this.#url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      if (this.#known !== undefined && !this.#isKnown(socket)) sent.destroy(new Error('the enclave is not a known one'))
    })
  }

  #isKnown(socket: TLSSocket): boolean {
    const { hostname, port } = this.#url
    const certificate = socket.getPeerCertificate().raw
    if (certificate === undefined) return false
    return this.#known?.get(`${hostname}:${port || 443}`) === createHash('sha256').update(certificate).digest('hex')
  }
}

async function collect(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += (chunk as Buffer).length
    if (length > MAX_ENCLAVE_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
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
