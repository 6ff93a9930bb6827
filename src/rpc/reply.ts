import type { ByteStream } from '../base/primitives/byteStream.ts'
import type { RpcError } from './errors.ts'

/** HTTP status and body; the body is empty when there is nothing to answer. */
export interface Reply {
  readonly status: 200 | 400 | 401 | 429
  readonly body: string
  /** In place of the body: a response that is still being written. Breaks if it cannot be completed. */
  readonly stream?: ByteStream
  /** The error in the body, for the observer of the call. */
  readonly error?: RpcError
}
