/**
 * The connection to an enclave over HTTP or HTTPS.
 * @module
 */
import { createHash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import { ENCLAVE_ANSWER_MS, ENCLAVE_CONNECT_MS, MAX_ENCLAVE_ANSWER_BYTES } from '../../../src/base/limits/limits.ts'
import type { EnclaveAnswer, EnclaveTransport } from '../../../src/base/ports/enclave.ts'

const CONNECTIONS = 8

export interface EnclaveTls {
  readonly options: https.AgentOptions
  /** SHA-256 fingerprints by host and port; undefined: certificate authorities decide. */
  readonly knownEnclaves: ReadonlyMap<string, string> | undefined
}

/** An enclave on the network. */
export class HttpEnclave implements EnclaveTransport {
  readonly #url: URL
  readonly #knownEnclaves: ReadonlyMap<string, string> | undefined
  readonly #agent: http.Agent

  constructor(url: URL, tls?: EnclaveTls) {
    this.#url = url
    this.#knownEnclaves = tls?.knownEnclaves
    const pool = { keepAlive: true, maxSockets: CONNECTIONS }
    const trust = tls?.knownEnclaves === undefined ? {} : { rejectUnauthorized: false }
    this.#agent =
      url.protocol === 'https:' ? new https.Agent({ ...pool, ...tls?.options, ...trust }) : new http.Agent(pool)
  }

  post(path: string, contentType: string, body: string): Promise<EnclaveAnswer> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(body)
      const { request } = this.#url.protocol === 'https:' ? https : http
      const clientRequest = request(new URL(path, this.#url), {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': contentType, 'content-length': bytes.length },
      })
      const whole = setTimeout(() => clientRequest.destroy(new Error('no answer in time')), ENCLAVE_ANSWER_MS)
      clientRequest.on('socket', (socket) => this.#watch(clientRequest, socket as TLSSocket))
      clientRequest.on('error', (error) => {
        clearTimeout(whole)
        reject(error)
      })
      clientRequest.on('response', (response) => {
        collect(response).then(
          (text) => {
            clearTimeout(whole)
            resolve({ status: response.statusCode ?? 0, body: text })
          },
          (error) => {
            clearTimeout(whole)
            clientRequest.destroy()
            reject(error)
          },
        )
      })
      clientRequest.end(bytes)
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Limits the time to connect, and compares the certificate of a known enclave. */
  #watch(request: http.ClientRequest, socket: TLSSocket): void {
    if (!socket.connecting) return
    const timer = setTimeout(() => request.destroy(new Error('no connection in time')), ENCLAVE_CONNECT_MS)
    request.once('close', () => clearTimeout(timer))
    socket.once(this.#url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      if (this.#knownEnclaves !== undefined && !this.#isKnown(socket))
        request.destroy(new Error('the enclave is not a known one'))
    })
  }

  #isKnown(socket: TLSSocket): boolean {
    const { hostname, port } = this.#url
    const certificate = socket.getPeerCertificate().raw
    if (certificate === undefined) return false
    return (
      this.#knownEnclaves?.get(`${hostname}:${port || 443}`) === createHash('sha256').update(certificate).digest('hex')
    )
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
