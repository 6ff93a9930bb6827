/**
 * Hashes and compression of Node, Deno and Bun for mirrors.
 * @module
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { installSha256 } from '../../../src/base/primitives/sha256.ts'
import { installDeflate, installInflate } from '../../../src/mirror/format/compression.ts'
import { installNodeCrypto } from '../crypto/crypto.ts'
import { sha256 } from '../crypto/precompiles.ts'

/** The highest of the fast levels: it compresses blocks of a chain nearly as well as the slow ones. */
const LEVEL = 3
/** Longer blocks are inflated by streams, which leave the thread to others. */
const MAX_AT_ONCE_BYTES = 64 * 1024

/** For all that read mirrors. */
export function installMirrorReading(): void {
  installSha256(sha256)
  // One buffer of the right size: the stream of the host takes many times the time and the memory.
  installInflate(MAX_AT_ONCE_BYTES, inflate)
}

function inflate(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const space = length + 1
  try {
    const result = inflateRawSync(bytes, { maxOutputLength: space, chunkSize: space })
    // A view, because `slice` of a Buffer does not copy.
    return result.length > length ? undefined : new Uint8Array(result.buffer, result.byteOffset, result.length)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/**
 * For threads and commands that write mirrors. Takes about 20 ms. The calling thread must not serve requests: compression is
 * synchronous.
 */
export async function installMirrorWriting(): Promise<void> {
  installMirrorReading()
  installDeflate((bytes) => deflateRawSync(bytes, { level: LEVEL }))
  await installNodeCrypto()
}
