import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'

export type MissingStateDiffError = NodeError<{ code: 'MISSING_STATE_DIFF'; number: number }>
export type MissingCodeError = NodeError<{ code: 'MISSING_CODE' }>
export type InvalidStateRecordError = NodeError<{ code: 'INVALID_STATE_RECORD' }>

export function missingStateDiff(number: number, hash: Uint8Array): MissingStateDiffError {
  return new NodeError(
    { code: 'MISSING_STATE_DIFF', number },
    `the state diff of block ${number} (${bytesToHex(hash)}) is not stored`,
  )
}

export function missingCode(codeHash: Uint8Array): MissingCodeError {
  return new NodeError({ code: 'MISSING_CODE' }, `the code with hash ${bytesToHex(codeHash)} is not stored`)
}

export function invalidStateRecord(what: string): InvalidStateRecordError {
  return new NodeError({ code: 'INVALID_STATE_RECORD' }, `damaged record: ${what}`)
}

/** The block was stored without execution. */
export function stateNotAvailable(root: Uint8Array): NodeError {
  return new NodeError({ code: 'STATE_NOT_AVAILABLE', root }, `the state ${bytesToHex(root)} is not available`)
}
