/**
 * Deviations of the execution on a dev chain from its genesis file, in force from some block on. They are stored with
 * each block (chain/devAmendment.ts), so that every later execution of its child finds the same ones.
 * @module
 */

import { bigIntToBytes, bytesToBigInt, concatBytes, EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import type { DevEnvironment } from '../evm/evm.ts'
import { keyToText, textToKey } from '../storage/keyText.ts'
import { corrupt } from './blockRecord.ts'

const SIGNATURE_BYTES = 65
const ADDRESS_BYTES = 20
const SIGNER_BYTES = SIGNATURE_BYTES + ADDRESS_BYTES
const NO_SIGNERS: DevEnvironment['signers'] = new Map()

/** @returns undefined when nothing deviates */
export function devEnvironment(
  chainId: bigint | undefined,
  signers: DevEnvironment['signers'] = NO_SIGNERS,
): DevEnvironment | undefined {
  return chainId === undefined && signers.size === 0 ? undefined : { chainId, signers }
}

/** length of the chain id (1; 0: none) ‖ chain id ‖ (signature (65) ‖ address (20)) for each signer */
export function encodeDevEnvironment({ chainId, signers }: DevEnvironment): Uint8Array {
  // Zero is encoded as one byte, which differs from none.
  const id = chainId === undefined ? EMPTY_BYTES : chainId === 0n ? Uint8Array.of(0) : bigIntToBytes(chainId)
  const parts = [Uint8Array.of(id.length), id]
  for (const [signature, address] of signers) parts.push(textToKey(signature), address)
  return concatBytes(...parts)
}

export function decodeDevEnvironment(bytes: Uint8Array): DevEnvironment {
  const idLength = bytes[0] ?? 0
  const start = 1 + idLength
  if (bytes.length < start || (bytes.length - start) % SIGNER_BYTES !== 0) {
    throw corrupt(`dev environment of ${bytes.length} bytes`)
  }
  const signers = new Map<string, Uint8Array>()
  for (let at = start; at < bytes.length; at += SIGNER_BYTES) {
    const end = at + SIGNATURE_BYTES
    signers.set(keyToText(bytes.subarray(at, end)), bytes.slice(end, at + SIGNER_BYTES))
  }
  return { chainId: idLength === 0 ? undefined : bytesToBigInt(bytes.subarray(1, start)), signers }
}

export function isSameEnvironment(a: DevEnvironment | undefined, b: DevEnvironment | undefined): boolean {
  if (a === b) return true
  return a !== undefined && b !== undefined && equalBytes(encodeDevEnvironment(a), encodeDevEnvironment(b))
}
