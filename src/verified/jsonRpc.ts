/**
 * JSON-RPC texts for a verified provider, as `isonode proxy` serves them.
 * @module
 */
import { MAX_PROXY_BATCH } from '../base/limits/limits.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { VerifiedProvider } from './contract.ts'

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const PARSE_ERROR = { code: -32700, message: 'parse error' }
const INVALID_REQUEST = { code: -32600, message: 'invalid request' }
const BATCH_TOO_LARGE = { code: -32600, message: `batch too large: more than ${MAX_PROXY_BATCH} requests` }
/** The remote is at fault, so that the same request may be answered by another one. */
const REMOTE_FAULT = -32000

/**
 * @param text a request or a batch
 * @returns its answer. A result that nothing proves has `isProven: false` beside it
 */
export async function answerJson(provider: VerifiedProvider, text: string): Promise<string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return failure(null, PARSE_ERROR)
  }
  if (!Array.isArray(json)) return answerOne(provider, json)
  if (json.length === 0) return failure(null, INVALID_REQUEST)
  if (json.length > MAX_PROXY_BATCH) return failure(null, BATCH_TOO_LARGE)
  const answers = await Promise.all(json.map((request) => answerOne(provider, request)))
  return `[${answers.join()}]`
}

async function answerOne(provider: VerifiedProvider, json: unknown): Promise<string> {
  const request = requestOf(json)
  if (request === undefined) return failure(null, INVALID_REQUEST)
  const { id, method, params } = request
  try {
    const { result, isProven } = await provider.ask(method, params)
    return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null, ...(isProven ? {} : { isProven }) })
  } catch (error) {
    return failure(id, errorOf(error))
  }
}

function requestOf(json: unknown): Request | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { id = null, method, params = [] } = json as Readonly<Record<string, unknown>>
  return typeof method === 'string' && Array.isArray(params) ? { id, method, params } : undefined
}

interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Faults of the remote have their code as data: `PROOF_INVALID`. */
function errorOf(error: unknown): RpcFailure {
  if (isNodeError(error)) return { code: REMOTE_FAULT, message: error.message, data: error.code }
  const { code, message, data } = error as Partial<RpcFailure>
  if (typeof code !== 'number' || message === undefined) throw error
  return { code, message, ...(data === undefined ? {} : { data }) }
}

function failure(id: unknown, error: RpcFailure): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
