/**
 * The two ports of an enclave: for nodes and for other enclaves.
 * @module
 */
import {
  ENCLAVE_REQUEST_MS,
  MAX_ENCLAVE_CONNECTIONS,
  MAX_ENCLAVE_MESSAGE_BYTES,
  MAX_ENCLAVE_PENDING_BYTES,
} from '../../../src/base/limits/limits.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import type { EnclaveReply, EnclaveRequest } from '../../../src/private/enclave/messages.ts'
import type { ListenOptions } from '../http/listening.ts'
import { serveWhole, type WholeServerLimits } from '../http/wholeServer.ts'

export interface EnclaveServerOptions extends ListenOptions {
  /** Accepted names of the Host header; `*`: any. Requests from web pages are refused. */
  readonly hosts: readonly string[]
  /** Never rejects. */
  readonly answer: (request: EnclaveRequest) => Promise<EnclaveReply>
}

const LIMITS: WholeServerLimits = {
  maxConnections: MAX_ENCLAVE_CONNECTIONS,
  maxBodyBytes: MAX_ENCLAVE_MESSAGE_BYTES,
  maxPendingBytes: MAX_ENCLAVE_PENDING_BYTES,
  requestMs: ENCLAVE_REQUEST_MS,
}

/** @throws {NodeError} PORT_IN_USE, LISTEN_FAILED */
export function serveEnclave(options: EnclaveServerOptions): Promise<HttpServer> {
  return serveWhole({ ...options, limits: LIMITS })
}
