import type { BlockCipher, RunningHash } from '../../../base/ports/frameCipher.ts'

export const BLOCK_BYTES = 16
export const TAG_BYTES = 16

/**
 * The MAC of one direction: a running Keccak-256 into which AES mixes the secret.
 * @see devp2p, rlpx.md, "MAC"
 */
export class FrameMac {
  readonly #hash: RunningHash
  readonly #cipher: BlockCipher

  /** @param hash begun with the nonce and the handshake packet @param cipher with the MAC secret */
  constructor(hash: RunningHash, cipher: BlockCipher) {
    this.#hash = hash
    this.#cipher = cipher
  }

  /** @param header 16 bytes of ciphertext @returns 16 bytes */
  headerTag(header: Uint8Array): Uint8Array {
    return this.#mix(this.#digest(), header)
  }

  /** @param part of the ciphertext of a body, in order; the last one has the padding */
  addBody(part: Uint8Array): void {
    this.#hash.update(part)
  }

  /** Ends a body. @returns 16 bytes */
  bodyTag(): Uint8Array {
    const digest = this.#digest()
    return this.#mix(digest, digest)
  }

  #mix(digest: Uint8Array, other: Uint8Array): Uint8Array {
    const seed = this.#cipher.encrypt(digest)
    for (let i = 0; i < BLOCK_BYTES; i++) seed[i] = (seed[i] as number) ^ (other[i] as number)
    this.#hash.update(seed)
    return this.#digest()
  }

  #digest(): Uint8Array {
    return this.#hash.digest().subarray(0, TAG_BYTES)
  }
}
