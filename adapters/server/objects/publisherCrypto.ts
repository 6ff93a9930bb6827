/**
 * Hashes and compression of Node, Deno and Bun, for threads and commands that write mirrors.
 * @module
 */
import { deflateRawSync } from 'node:zlib'
import { installSha256 } from '../../../src/base/primitives/sha256.ts'
import { installDeflate } from '../../../src/mirror/format/compression.ts'
import { installNodeCrypto } from '../crypto/crypto.ts'
import { sha256 } from '../crypto/precompiles.ts'

/** The highest of the fast levels: it compresses blocks of a chain nearly as well as the slow ones. */
const LEVEL = 3

/** Takes about 20 ms. The calling thread must not serve requests: compression is synchronous. */
export async function installPublisherCrypto(): Promise<void> {
  installSha256(sha256)
  installDeflate((bytes) => deflateRawSync(bytes, { level: LEVEL }))
  await installNodeCrypto()
}
