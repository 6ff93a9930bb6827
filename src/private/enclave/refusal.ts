import { NodeError } from '../../base/primitives/errors.ts'

/** A request that the enclave answers with a status other than 200; the message is the text of the answer. */
export interface EnclaveRefusal {
  readonly code: 'ENCLAVE_REFUSAL'
  /** HTTP status */
  readonly status: number
}

export function refusal(status: number, message: string, cause?: unknown): NodeError<EnclaveRefusal> {
  return new NodeError({ code: 'ENCLAVE_REFUSAL', status }, message, { cause })
}
