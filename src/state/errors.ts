import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { PrunedState, StateRoot, StoredState } from './contract.ts'

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

export type ForkUnsupportedError = NodeError<{ code: 'FORK_UNSUPPORTED' }>

/** @param what the request, for a sentence: "a proof" */
export function needsWholeState(what: string): ForkUnsupportedError {
  return new NodeError(
    { code: 'FORK_UNSUPPORTED' },
    `${what} needs the whole state, but a fork has only what changed since the fork block`,
  )
}

export function missingBase(): ForkUnsupportedError {
  return new NodeError(
    { code: 'FORK_UNSUPPORTED' },
    'the state continues that of another chain: this database can be used only with the fork that wrote it',
  )
}

export type StatePrunedError = NodeError<{ code: 'STATE_PRUNED'; number: number; keptFrom: number }>

export function statePruned({ number, keptFrom }: PrunedState): StatePrunedError {
  return new NodeError(
    { code: 'STATE_PRUNED', number, keptFrom },
    `the state of block ${number} was deleted: this node keeps states from block ${keptFrom} on`,
  )
}

/** @throws {NodeError} STATE_NOT_AVAILABLE when the block was stored without execution; STATE_PRUNED */
export function requireState(state: StoredState): StateRoot {
  if (state.isMissing !== true) return state
  const { hash: root, pruned } = state
  if (pruned !== undefined) throw statePruned(pruned)
  throw new NodeError({ code: 'STATE_NOT_AVAILABLE', root }, `the state ${bytesToHex(root)} is not available`)
}
