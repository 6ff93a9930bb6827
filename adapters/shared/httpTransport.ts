/**
 * JSON-RPC over HTTP, with the `fetch` of the runtime.
 * @module
 */
import type { RemoteTransport, SendOptions, TransportAnswer } from '../../src/base/ports/remoteTransport.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { answerTooLong, shortened, unavailable } from '../../src/remote/errors.ts'
import { RemoteAddress } from './remoteAddress.ts'

export interface HttpTransportOptions {
  /** Sent with each request; their values are kept secret. */
  readonly headers?: Readonly<Record<string, string>>
}

/** @throws {NodeError} INVALID_OPTION for a URL of another scheme */
export class HttpTransport implements RemoteTransport {
  readonly origin: string
  readonly #address: RemoteAddress
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, { headers = {} }: HttpTransportOptions = {}) {
    this.#address = new RemoteAddress(url, ['http:', 'https:'], headers)
    this.origin = this.#address.origin
    const { authorization } = this.#address
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    }
  }

  redacted(text: string): string {
    return this.#address.redacted(text)
  }

  async send(body: string, { signal, maxBytes, onBytes }: SendOptions): Promise<TransportAnswer> {
    try {
      const response = await fetch(this.#address.urlWithoutCredentials, {
        method: 'POST',
        headers: this.#headers,
        body,
        // A redirection would send headers with keys to an address that nobody named.
        redirect: 'manual',
        signal,
      })
      const retryAfterMs = retryAfter(response.headers.get('retry-after'))
      return { status: response.status, retryAfterMs, text: await this.#textOf(response, maxBytes, onBytes) }
    } catch (error) {
      if (isNodeError(error)) throw error
      throw unavailable(shortened(this.redacted(reasonOf(error))))
    }
  }

  /** The runtime keeps connections; what is in flight ends with its signal. */
  close(): void {}

  /** Stops reading as soon as the answer is too long. */
  async #textOf(response: Response, maxBytes: number, onBytes: SendOptions['onBytes']): Promise<string> {
    const reader = response.body?.getReader()
    if (reader === undefined) return ''
    const decoder = new TextDecoder()
    const parts: string[] = []
    let bytes = 0
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return `${parts.join('')}${decoder.decode()}`
        bytes += value.length
        onBytes?.(value.length)
        if (bytes > maxBytes) throw answerTooLong(maxBytes)
        parts.push(decoder.decode(value, { stream: true }))
      }
    } catch (error) {
      reader.cancel().catch(() => {})
      throw error
    }
  }
}

/** `fetch` hides the reason of a failed connection in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Partial<Error>
  const inner = cause instanceof Error ? cause : undefined
  if (inner !== undefined && inner.message !== '') return inner.message
  const code = (inner as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : (message ?? 'the connection failed')
}

/** @param header seconds, or a date */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
