/**
 * Where a block of the dev chain left the protocol: its state was changed from outside afterwards, a transaction has a
 * sender that did not sign it, or its header has values that do not follow from its parent. Kept beside the block, so that
 * execution goes on from the right state and the chain is not exported as if it were a valid one.
 * @module
 */
import { readUint, writeUint } from '../primitives/bytes.ts'
import type { StateRoot } from '../state/contract.ts'
import { corrupt } from './blockRecord.ts'

export interface DevAmendment {
  /** State after the block as it was changed from outside; undefined: as the header says. */
  readonly stateRoot: StateRoot | undefined
  /** A transaction is not signed by its sender. */
  readonly impersonates: boolean
  /** The base fee or the gas limit was set. */
  readonly setsHeader: boolean
}

const IMPERSONATES = 1
const SETS_HEADER = 2
const HASH_BYTES = 32
const VERSION_BYTES = 6

/** flags (1) ‖ [state root (32) ‖ its version (6)] */
export function encodeDevAmendment({ stateRoot, impersonates, setsHeader }: DevAmendment): Uint8Array {
  const bytes = new Uint8Array(1 + (stateRoot === undefined ? 0 : HASH_BYTES + VERSION_BYTES))
  bytes[0] = (impersonates ? IMPERSONATES : 0) | (setsHeader ? SETS_HEADER : 0)
  if (stateRoot !== undefined) {
    bytes.set(stateRoot.hash, 1)
    writeUint(bytes, 1 + HASH_BYTES, stateRoot.version, VERSION_BYTES)
  }
  return bytes
}

export function decodeDevAmendment(bytes: Uint8Array): DevAmendment {
  const [flags] = bytes
  const hasRoot = bytes.length === 1 + HASH_BYTES + VERSION_BYTES
  if (flags === undefined || (bytes.length !== 1 && !hasRoot)) throw corrupt(`dev amendment of ${bytes.length} bytes`)
  return {
    stateRoot: hasRoot
      ? { hash: bytes.slice(1, 1 + HASH_BYTES), version: readUint(bytes, 1 + HASH_BYTES, VERSION_BYTES) }
      : undefined,
    impersonates: (flags & IMPERSONATES) !== 0,
    setsHeader: (flags & SETS_HEADER) !== 0,
  }
}

/** Says in a few words what the amendment is. */
export function describeDevAmendment({ stateRoot, impersonates }: DevAmendment): string {
  if (stateRoot !== undefined) return 'its state was set from outside'
  return impersonates ? 'it has a transaction of an impersonated account' : 'its base fee or gas limit was set'
}
