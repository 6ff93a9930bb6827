/**
 * The connection to the enclave, which keeps the payloads of private transactions and passes them to other enclaves.
 * @module
 */

export interface EnclaveAnswer {
  /** HTTP status */
  readonly status: number
  readonly body: string
}

/** Sends requests to the enclave's HTTP interface. */
export interface EnclaveTransport {
  /**
   * @param path begins with a slash
   * @param body JSON
   * @throws any error when there is no complete answer in time: refused, dropped, too slow, or too long
   */
  post(path: string, contentType: string, body: string): Promise<EnclaveAnswer>
  /** Ends open connections. */
  close(): void
}

/** A request to another enclave. */
export interface PeerEnclaveRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly contentType?: string
  readonly body?: Uint8Array
}

export interface PeerEnclaveAnswer {
  /** HTTP status */
  readonly status: number
  readonly body: Uint8Array
}

/** Sends requests to other enclaves. */
export interface EnclavePeers {
  /**
   * Does not follow redirections.
   * @throws any error when there is no complete answer in time: refused, dropped, too slow, or too long
   */
  request(request: PeerEnclaveRequest): Promise<PeerEnclaveAnswer>
  /** Ends open connections. */
  close(): void
}
