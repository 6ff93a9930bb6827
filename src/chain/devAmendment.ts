/**
 * A deviation of a dev chain block from the protocol: its state was amended, a transaction has a sender that did not
 * sign it, its header has values that do not follow from its parent, or its environment is not that of the genesis
 * file. It is stored with the block. Execution thus continues from the right state, and the chain is not exported as a
 * valid one.
 * @module
 */

import { concatBytes, readUint, writeUint } from '../base/primitives/bytes.ts'
import type { DevEnvironment } from '../evm/evm.ts'
import type { StateRoot } from '../state/contract.ts'
import { corrupt } from './blockRecord.ts'
import { decodeDevEnvironment, encodeDevEnvironment } from './devEnvironment.ts'

export interface DevAmendment {
  /** Amended state after the block; undefined: the state in the header. */
  readonly stateRoot: StateRoot | undefined
  /** Whether a transaction was not signed by its sender. */
  readonly impersonates: boolean
  /** Whether the base fee or the gas limit was set explicitly. */
  readonly setsHeader: boolean
  /** In force after the block. */
  readonly environment: DevEnvironment | undefined
}

export const NO_AMENDMENT: DevAmendment = {
  stateRoot: undefined,
  impersonates: false,
  setsHeader: false,
  environment: undefined,
}

const IMPERSONATES = 1
const SETS_HEADER = 2
const HAS_ENVIRONMENT = 4
/** Set only together with HAS_ENVIRONMENT; otherwise the length tells. */
const HAS_ROOT = 8
const HASH_BYTES = 32
const VERSION_BYTES = 6
const ROOT_BYTES: number = HASH_BYTES + VERSION_BYTES

/** @returns undefined when the block does not deviate: flags (1) ‖ [state root (32) ‖ its version (6)] ‖ [environment] */
export function encodeDevAmendment(amendment: DevAmendment): Uint8Array | undefined {
  const { stateRoot, impersonates, setsHeader, environment } = amendment
  if (stateRoot === undefined && environment === undefined && !impersonates && !setsHeader) return undefined
  const bytes = new Uint8Array(1 + (stateRoot === undefined ? 0 : ROOT_BYTES))
  bytes[0] = (impersonates ? IMPERSONATES : 0) | (setsHeader ? SETS_HEADER : 0)
  if (stateRoot !== undefined) {
    bytes.set(stateRoot.hash, 1)
    writeUint(bytes, 1 + HASH_BYTES, stateRoot.version, VERSION_BYTES)
  }
  if (environment === undefined) return bytes
  bytes[0] |= HAS_ENVIRONMENT | (stateRoot === undefined ? 0 : HAS_ROOT)
  return concatBytes(bytes, encodeDevEnvironment(environment))
}

export function decodeDevAmendment(bytes: Uint8Array): DevAmendment {
  const [flags] = bytes
  if (flags === undefined) throw corrupt('dev amendment of 0 bytes')
  const hasEnvironment = (flags & HAS_ENVIRONMENT) !== 0
  const hasRoot = hasEnvironment ? (flags & HAS_ROOT) !== 0 : bytes.length > 1
  const length = 1 + (hasRoot ? ROOT_BYTES : 0)
  if (hasEnvironment ? bytes.length < length : bytes.length !== length) {
    throw corrupt(`dev amendment of ${bytes.length} bytes`)
  }
  return {
    stateRoot: hasRoot
      ? { hash: bytes.slice(1, 1 + HASH_BYTES), version: readUint(bytes, 1 + HASH_BYTES, VERSION_BYTES) }
      : undefined,
    impersonates: (flags & IMPERSONATES) !== 0,
    setsHeader: (flags & SETS_HEADER) !== 0,
    environment: hasEnvironment ? decodeDevEnvironment(bytes.subarray(length)) : undefined,
  }
}

/** Describes the amendment in a few words. */
export function describeDevAmendment({ stateRoot, impersonates, environment }: DevAmendment): string {
  if (stateRoot !== undefined) return 'its state was amended'
  if (environment !== undefined) return 'the chain id or the signer of a signature was set'
  return impersonates ? 'a transaction has an impersonated sender' : 'its base fee or gas limit was set'
}
