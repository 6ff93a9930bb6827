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
