/** A request to one of the interfaces of an enclave. */
export interface EnclaveRequest {
  readonly method: string
  /** Without a query. */
  readonly path: string
  readonly body: Uint8Array
}

export interface EnclaveReply {
  /** HTTP status */
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

export function textReply(status: number, body: string): EnclaveReply {
  return { status, contentType: 'text/plain', body }
}

export function jsonReply(value: object | string): EnclaveReply {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(value) }
}

export function binaryReply(body: Uint8Array): EnclaveReply {
  return { status: 200, contentType: 'application/octet-stream', body }
}
