/** Databases of older formats (test/vectors/storage-v1). */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Entry } from '../../../src/base/ports/keyValueStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'

const V1 = path.resolve(import.meta.dirname, '../../vectors/storage-v1')

export type VectorName = 'dev' | 'frontier'

export function readVector(name: VectorName): Entry[] {
  const bytes = gunzipSync(readFileSync(path.join(V1, `${name}.bin.gz`)))
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + 8 + bytes.readUInt32BE(at)
    const end = keyEnd + bytes.readUInt32BE(at + 4)
    entries.push([Uint8Array.from(bytes.subarray(at + 8, keyEnd)), Uint8Array.from(bytes.subarray(keyEnd, end))])
    at = end
  }
  return entries
}

export function vectorStore(name: VectorName): MemoryStore {
  const store = new MemoryStore()
  store.commit(readVector(name).map(([key, value]) => ({ key, value })))
  return store
}

/** LMDB's data file of the dev chain. */
export function vectorFile(): Uint8Array {
  return gunzipSync(readFileSync(path.join(V1, 'dev.mdb.gz')))
}
