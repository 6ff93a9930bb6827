/**
 * Encoding of recovery tasks and answers for worker threads: one transferred buffer per chunk, answered in place.
 * @module
 */
import type { RecoveryTask } from '../../../src/base/ports/host.ts'
import { recoverAddress } from '../../../src/base/primitives/secp256k1.ts'

/** hash ‖ r ‖ s ‖ yParity; answered with 1 ‖ address, or 0 for an invalid signature. */
const RECORD_BYTES = 97
const ADDRESS_BYTES = 20

/** @throws {RangeError} when a hash or a signature has an invalid length */
export function packTasks(tasks: readonly RecoveryTask[]): Uint8Array<ArrayBuffer> {
  const records = new Uint8Array(tasks.length * RECORD_BYTES)
  for (const [i, { hash, signature, yParity }] of tasks.entries()) {
    if (hash.length !== 32) throw new RangeError(`hash: 32 bytes expected, ${hash.length} given`)
    if (signature.length !== 64) throw new RangeError(`signature: 64 bytes expected, ${signature.length} given`)
    const at = i * RECORD_BYTES
    records.set(hash, at)
    records.set(signature, at + 32)
    records[at + 96] = yParity
  }
  return records
}

/** Replaces each task with its answer. */
export function answerInPlace(records: Uint8Array): void {
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    const yParity = records[at + 96] === 1 ? 1 : 0
    const address = recoverAddress(records.subarray(at, at + 32), records.subarray(at + 32, at + 96), yParity)
    records[at] = address === undefined ? 0 : 1
    if (address !== undefined) records.set(address, at + 1)
  }
}

/** Addresses in task order. Each has its own buffer, so that retaining one does not retain the others. */
export function unpackAnswers(records: Uint8Array): (Uint8Array | undefined)[] {
  const addresses: (Uint8Array | undefined)[] = []
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    addresses.push(records[at] === 1 ? records.slice(at + 1, at + 1 + ADDRESS_BYTES) : undefined)
  }
  return addresses
}
