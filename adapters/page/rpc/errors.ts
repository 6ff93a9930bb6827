/**
 * Errors of requests.
 * @module
 */

/** The request did not reach the node, or its answer was no JSON-RPC. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** The node wants a token; the page asks for the login. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError'
}

/** An `error` of a JSON-RPC answer. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  /** Revert output in hex, text, or an object with the hash of the transaction that failed. */
  readonly data: unknown
  readonly method: string

  constructor(method: string, code: number, message: string, data?: unknown) {
    super(message)
    this.method = method
    this.code = code
    this.data = data
  }
}

const METHOD_NOT_FOUND = -32601
/** Besu's code for a method of a group that is not enabled. */
export const METHOD_NOT_ENABLED = -32604
/** EIP-1193: the method is not supported by the provider. */
const UNSUPPORTED_METHOD = 4200

/** Whether the node lacks the method, or does not offer it. */
export function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && [METHOD_NOT_FOUND, METHOD_NOT_ENABLED, UNSUPPORTED_METHOD].includes(error.code)
}

/** @returns the revert output that the error carries, as hex; undefined: it carries none */
export function revertData(error: unknown): string | undefined {
  if (!(error instanceof RpcError)) return undefined
  const { data } = error
  const hex = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return typeof hex === 'string' && /^0x[0-9a-f]*$/i.test(hex) ? hex : undefined
}

/** The `error` of an answer, whose parts may have any type. */
export interface ErrorObject {
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

export function rpcError(method: string, { code, message, data }: ErrorObject): RpcError {
  return new RpcError(method, Number(code), typeof message === 'string' ? message : 'Error without a message', data)
}

/** EIP-1193: the provider is disconnected from all chains, or from this one. */
const DISCONNECTED = [4900, 4901]

/** Providers of other programs throw errors with a code, or plain objects. */
export function providerError(method: string, error: unknown): Error {
  if (error instanceof RpcError || error instanceof ConnectionError || error instanceof UnauthorizedError) return error
  const object = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as ErrorObject
  if (typeof object.code !== 'number') return error instanceof Error ? error : new Error(String(object.message))
  if (DISCONNECTED.includes(object.code)) return new ConnectionError(String(object.message))
  return rpcError(method, object)
}
