/**
 * secp256k1 over the WebAssembly module of `tiny-secp256k1`.
 * @module
 */
import { type Secp256k1, uncompressedKey } from '../../src/base/primitives/secp256k1.ts'
import type { TinySecp256k1 } from './nodeHandle.ts'

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
