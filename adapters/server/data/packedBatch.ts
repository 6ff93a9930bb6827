/**
 * A batch as one buffer, whose ownership can pass to a thread: for each mutation the length of its key (2 bytes), the length
 * of its value (4 bytes) or {@link DELETED}, key, value and room for its checksum. Numbers are little-endian.
 * @module
 */
import { COMMIT_SLICE_MS } from '../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { CHECKSUM_BYTES } from '../../../src/storage/checksum.ts'
import { systemClock, yieldToHost } from '../../shared/systemPorts.ts'

const HEAD_BYTES = 6
const DELETED = 0xffffffff
/** Mutations between two looks at the clock: some 0.1 ms. */
const PIECE = 256

/** Where a mutation is in the buffer. A deletion has no `end`. */
export interface PackedMutation {
  readonly key: Uint8Array
  readonly start: number
  readonly end: number | undefined
}

/** Copies a batch in slices, between which the event loop runs. The batch must not change meanwhile. */
export async function packBatch(batch: readonly Mutation[]): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0
  for (const { key, value } of batch) {
    length += HEAD_BYTES + key.length + (value === undefined ? 0 : value.length + CHECKSUM_BYTES)
  }
  const packed = new Uint8Array(length)
  const view = new DataView(packed.buffer)
  let at = 0
  let startedMs = systemClock.monotonic()
  for (let i = 0; i < batch.length; i++) {
    const { key, value } = batch[i] as Mutation
    view.setUint16(at, key.length, true)
    view.setUint32(at + 2, value === undefined ? DELETED : value.length, true)
    packed.set(key, at + HEAD_BYTES)
    at += HEAD_BYTES + key.length
    if (value !== undefined) {
      packed.set(value, at)
      at += value.length + CHECKSUM_BYTES
    }
    if (i % PIECE !== PIECE - 1 || systemClock.monotonic() - startedMs < COMMIT_SLICE_MS) continue
    await yieldToHost()
    startedMs = systemClock.monotonic()
  }
  return packed
}

/** The mutations in the order of the batch. Keys are views of the buffer. */
export function unpackBatch(packed: Uint8Array): PackedMutation[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const mutations: PackedMutation[] = []
  for (let at = 0; at < packed.length; ) {
    const start = at + HEAD_BYTES + view.getUint16(at, true)
    const valueLength = view.getUint32(at + 2, true)
    const key = packed.subarray(at + HEAD_BYTES, start)
    const end = valueLength === DELETED ? undefined : start + valueLength
    mutations.push({ key, start, end })
    at = end === undefined ? start : end + CHECKSUM_BYTES
  }
  return mutations
}
