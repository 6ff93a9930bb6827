/**
 * A deviation of a dev chain block from the protocol: its state was amended, a transaction has a sender that did not
 * sign it, or its header has values that do not follow from its parent. Stored with the block, so that execution
 * continues from the correct state and the chain is not exported as a valid one.
 * @module
 */
import { readUint, writeUint } from '../primitives/bytes.ts'
import type { StateRoot } from '../state/contract.ts'
import { corrupt } from './blockRecord.ts'

export interface DevAmendment {
  /** Amended state after the block; undefined: the state in the header. */
  readonly stateRoot: StateRoot | undefined
  /** Whether a transaction was not signed by its sender. */
  readonly impersonates: boolean
  /** Whether the base fee or the gas limit was set explicitly. */
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

/** Describes the amendment in a few words. */
export function describeDevAmendment({ stateRoot, impersonates }: DevAmendment): string {
  if (stateRoot !== undefined) return 'its state was amended'
  return impersonates ? 'a transaction has an impersonated sender' : 'its base fee or gas limit was set'
}
