/**
 * A provider of EIP-1193, such as the wallet of a page, in the place of an address.
 * @module
 */
import type { Eip1193Provider, RemoteTransport, SendOptions, TransportAnswer } from '../base/ports/remoteTransport.ts'
import type { RemoteError } from './contract.ts'
import { answerTooLong, stopped } from './errors.ts'

const ORIGIN = 'the provider'

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Its answers take the same way as texts of an address, so that they are checked in the same way. */
export function providerTransport(provider: Eip1193Provider): RemoteTransport {
  let isClosed = false
  const answerTo = async ({ id, method, params }: Request): Promise<object> => {
    try {
      return { jsonrpc: '2.0', id, result: (await provider.request({ method, params })) ?? null }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: errorOf(error) }
    }
  }
  return {
    origin: ORIGIN,
    async send(body: string, { maxBytes }: SendOptions): Promise<TransportAnswer> {
      if (isClosed) throw stopped()
      const requests = JSON.parse(body) as Request | readonly Request[]
      const isBatch = Array.isArray(requests)
      const answers = await Promise.all((isBatch ? requests : [requests as Request]).map(answerTo))
      const text = JSON.stringify(isBatch ? answers : answers[0])
      if (text.length > maxBytes) throw answerTooLong(maxBytes)
      return { status: 200, text }
    },
    close() {
      isClosed = true
    },
  }
}

/** Wallets reject with errors that have a code; others with anything. */
function errorOf(error: unknown): RemoteError {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<RemoteError>
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : String(error),
    ...(data === undefined ? {} : { data }),
  }
}
