import type { RecoverableSignature } from '../primitives/secp256k1.ts'
import { isPrivateKey, publicKeyOf, publicKeyToAddress, sharedSecret, signHash } from '../primitives/secp256k1.ts'
import type { Random } from './random.ts'
import type { Signer } from './signer.ts'

const KEY_BYTES = 32

/** Signs with a private key in memory. */
export class KeySigner implements Signer {
  readonly #privateKey: Uint8Array
  #publicKey: Uint8Array | undefined
  #address: Uint8Array | undefined

  /**
   * @param privateKey 32 bytes; copied
   * @throws {RangeError} when it is zero or not below the curve order
   */
  constructor(privateKey: Uint8Array) {
    if (!isPrivateKey(privateKey)) throw new RangeError('privateKey: not in the range 1 to n - 1 of secp256k1')
    this.#privateKey = privateKey.slice()
  }

  /** Computed with the first use. */
  get publicKey(): Uint8Array {
    this.#publicKey ??= publicKeyOf(this.#privateKey)
    return this.#publicKey
  }

  /** Computed with the first use. */
  get address(): Uint8Array {
    this.#address ??= publicKeyToAddress(this.publicKey)
    return this.#address
  }

  sign(hash: Uint8Array): RecoverableSignature {
    return signHash(hash, this.#privateKey)
  }

  agree(publicKey: Uint8Array): Uint8Array {
    return sharedSecret(this.#privateKey, publicKey)
  }
}

/** Creates a signer with a new key, for hosts that do not store one. */
export function createSigner(random: Random): Signer {
  for (;;) {
    try {
      return new KeySigner(random.bytes(KEY_BYTES))
    } catch (error) {
      // A random key is not below the curve order with a probability of 2^-127.
      if (!(error instanceof RangeError)) throw error
    }
  }
}
