/**
 * secp256k1 over the native add-on of the `secp256k1` package, an optional dependency with prebuilt binaries.
 * @module
 */
import { createRequire } from 'node:module'
import {
  deferSecp256k1,
  installSecp256k1,
  type Secp256k1,
  uncompressedKey,
} from '../../../src/base/primitives/secp256k1.ts'

/** The functions of the add-on that are used. */
interface NativeSecp256k1 {
  privateKeyVerify(privateKey: Uint8Array): boolean
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyTweakMul(publicKey: Uint8Array, factor: Uint8Array, compressed: boolean): Uint8Array
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array
}

/** This entry fails when there is no binary; the package's main entry would fall back to slow JavaScript. */
const ENTRY = 'secp256k1/bindings.js'
/** By this time, a node has started. */
const LOAD_AFTER_MS = 400

/** @throws when the package or its binary for this platform is missing */
export async function loadNativeSecp256k1(): Promise<Secp256k1> {
  // biome-ignore lint/suspicious/noTsIgnore: some compilers accept the import
  // @ts-ignore the package declares no types for this file
  return adapted((await import('secp256k1/bindings.js')).default)
}

/**
 * Loads the add-on after the start, or on the first use of any function before that, because loading takes 10 ms.
 * @returns false if the runtime cannot `require` packages, or the package is missing
 */
export function deferNativeSecp256k1(): boolean {
  let file: string
  const require = createRequire(import.meta.url)
  try {
    file = require.resolve(ENTRY)
  } catch {
    return false
  }
  const load = deferSecp256k1(() => {
    try {
      installSecp256k1(adapted(require(file)))
    } catch {}
  })
  const timer: { readonly unref?: () => void } = setTimeout(load, LOAD_AFTER_MS)
  timer.unref?.()
  return true
}

function adapted(native: NativeSecp256k1): Secp256k1 {
  return {
    recoverPublicKey(hash, signature, yParity) {
      try {
        return native.ecdsaRecover(signature, yParity, hash, false).subarray(1)
      } catch {
        return undefined
      }
    },
    publicKeyOf(privateKey) {
      if (!native.privateKeyVerify(privateKey)) return undefined
      return native.publicKeyCreate(privateKey, false).subarray(1)
    },
    signHash(hash, privateKey) {
      if (!native.privateKeyVerify(privateKey)) return undefined
      const { signature, recid } = native.ecdsaSign(hash, privateKey)
      return { signature, yParity: recid === 1 ? 1 : 0 }
    },
    sharedSecret(privateKey, publicKey) {
      if (!native.privateKeyVerify(privateKey)) return undefined
      try {
        return native.publicKeyTweakMul(uncompressedKey(publicKey), privateKey, true).slice(1)
      } catch {
        return undefined
      }
    },
  }
}
