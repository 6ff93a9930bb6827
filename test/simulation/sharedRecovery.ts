/**
 * All nodes of a simulated network recover the authors of the same messages and blocks. Each signature is recovered once,
 * because recoveries would be half of the time of a run.
 * @module
 */
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { loadNativeSecp256k1 } from '../../adapters/server/crypto/nativeSecp256k1.ts'
import { bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { LruCache } from '../../src/base/primitives/lruCache.ts'
import { installSecp256k1 } from '../../src/base/primitives/secp256k1.ts'

const MAX_SIGNATURES = 20_000

let installed: Promise<void> | undefined

/** Installs the hash functions and signatures of a node on Node, with the shared recoveries. */
export function installSimulationCrypto(): Promise<void> {
  installed ??= install()
  return installed
}

async function install(): Promise<void> {
  await installNodeCrypto()
  const native = await loadNativeSecp256k1()
  const known = new LruCache<string, { readonly key: Uint8Array | undefined }>(MAX_SIGNATURES)
  installSecp256k1({
    ...native,
    recoverPublicKey(hash, signature, yParity) {
      const name = `${yParity}${bytesToHexUnprefixed(hash)}${bytesToHexUnprefixed(signature)}`
      const found = known.get(name) ?? { key: native.recoverPublicKey(hash, signature, yParity) }
      known.set(name, found)
      return found.key?.slice()
    },
  })
}
