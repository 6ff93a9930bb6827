/**
 * In-process requests: EIP-1193 over the node's own JSON-RPC.
 * @module
 */
import type { IsoNode } from '../../src/node/node.ts'

export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Accepts both the plain form and that of EIP-1193, so that the node can be a provider for viem or ethers. */
export interface RequestFunction {
  (method: string, params?: readonly unknown[]): Promise<unknown>
  (call: RequestArguments): Promise<unknown>
}

/** A JSON-RPC error response. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

const INTERNAL_ERROR = -32603

/** @see EIP-1193; codes and messages are those of the node's JSON-RPC */
export function createRequest({ endpoints }: Pick<IsoNode, 'endpoints'>): RequestFunction {
  const { exchange } = endpoints.get('http')
  return async (call: string | RequestArguments, params?: readonly unknown[]): Promise<unknown> => {
    const { method, params: list = [] } = typeof call === 'string' ? { method: call, params } : call
    const { body } = await exchange.handle(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: list }),
      undefined,
      () => {},
    )
    if (body === '') throw new RequestError({ code: INTERNAL_ERROR, message: `${method} took too long` })
    const answer = JSON.parse(body) as { result?: unknown; error?: ConstructorParameters<typeof RequestError>[0] }
    if (answer.error !== undefined) throw new RequestError(answer.error)
    return answer.result
  }
}
