/**
 * secp256k1 over the WebAssembly module of `tiny-secp256k1`.
 * @module
 */
import { type Secp256k1, uncompressedKey } from '../../src/base/primitives/secp256k1.ts'

/** The used part of the package `tiny-secp256k1`, whose types a program need not have. */
export interface TinySecp256k1 {
  isPrivate(privateKey: Uint8Array): boolean
  pointFromScalar(privateKey: Uint8Array, isCompressed?: boolean): Uint8Array | null
  pointMultiply(point: Uint8Array, factor: Uint8Array, isCompressed?: boolean): Uint8Array | null
  recover(hash: Uint8Array, signature: Uint8Array, recoveryId: 0 | 1, isCompressed?: boolean): Uint8Array | null
  signRecoverable(
    hash: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recoveryId: 0 | 1 | 2 | 3 }
}

export function tinySecp256k1(tiny: TinySecp256k1): Secp256k1 {
  return {
    recoverPublicKey(hash, signature, yParity) {
      try {
        return tiny.recover(hash, signature, yParity, false)?.subarray(1)
      } catch {
        return undefined
      }
    },
    publicKeyOf(privateKey) {
      if (!tiny.isPrivate(privateKey)) return undefined
      return tiny.pointFromScalar(privateKey, false)?.subarray(1)
    },
    signHash(hash, privateKey) {
      if (!tiny.isPrivate(privateKey)) return undefined
      const { signature, recoveryId } = tiny.signRecoverable(hash, privateKey)
      return { signature, yParity: recoveryId === 1 ? 1 : 0 }
    },
    sharedSecret(privateKey, publicKey) {
      if (!tiny.isPrivate(privateKey)) return undefined
      try {
        return tiny.pointMultiply(uncompressedKey(publicKey), privateKey, true)?.slice(1)
      } catch {
        return undefined
      }
    },
  }
}
