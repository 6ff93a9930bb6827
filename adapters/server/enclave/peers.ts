import { ENCLAVE_PEER_ANSWER_MS, MAX_ENCLAVE_PEER_ANSWER_BYTES } from '../../../src/base/limits/limits.ts'
import type { EnclavePeers, PeerEnclaveAnswer, PeerEnclaveRequest } from '../../../src/base/ports/enclave.ts'

/** Versions of Tessera's interface: payloads in the first binary form, several keys, privacy groups. */
const VERSIONS = { tesseraSupportedApiVersions: 'v1,2.1,3.0' }

/** Requests to other enclaves over HTTP. */
export class HttpEnclavePeers implements EnclavePeers {
  readonly #closing = new AbortController()

  async request({ method, url, contentType, body }: PeerEnclaveRequest): Promise<PeerEnclaveAnswer> {
    const response = await send(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ENCLAVE_PEER_ANSWER_MS)]),
      headers: { ...VERSIONS, ...(contentType === undefined ? {} : { 'Content-Type': contentType }) },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
    })
    return { status: response.status, body: await collect(response) }
  }

  close(): void {
    this.#closing.abort()
  }
}

/** fetch hides the reason of a failed connection in the cause. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    throw cause instanceof Error && cause.message !== '' ? cause : error
  }
}

async function collect(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return Buffer.concat(chunks)
    length += value.length
    if (length > MAX_ENCLAVE_PEER_ANSWER_BYTES) {
      await reader?.cancel()
      throw new Error('the answer is too long')
    }
    chunks.push(value)
  }
}
