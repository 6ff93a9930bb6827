/** The keystream of AES in counter mode, over one direction of a connection. */
export interface StreamCipher {
  /**
   * XORs the bytes with the next bytes of the keystream, in place: encryption and decryption.
   * @param bytes a multiple of 16 bytes, except in the last call
   */
  apply(bytes: Uint8Array): void
}

/** AES of single blocks, without chaining. */
export interface BlockCipher {
  /** @param block 16 bytes @returns 16 bytes, owned by the caller */
  encrypt(block: Uint8Array): Uint8Array
}

/** Keccak-256 of a stream, whose digest can be read at any time. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  /** @returns 32 bytes, owned by the caller: the digest of all bytes so far; more may follow */
  digest(): Uint8Array
}

/** The primitives of RLPx. They are synchronous, so that a frame is complete when its last byte arrives. */
export interface FrameCiphers {
  /** @param key 16 or 32 bytes @param counter 16 bytes: the first counter block */
  counterMode(key: Uint8Array, counter: Uint8Array): StreamCipher
  /** @param key 32 bytes */
  blockCipher(key: Uint8Array): BlockCipher
  runningKeccak256(): RunningHash
}
