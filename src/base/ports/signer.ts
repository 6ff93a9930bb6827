import type { RecoverableSignature } from '../primitives/secp256k1.ts'

/**
 * Holds the node's secp256k1 key: its identity towards peers, and as a validator. The key cannot be read. Everything is
 * synchronous, so that packets and votes are signed where they are created.
 */
export interface Signer {
  /** 64 bytes x ‖ y; the node id of devp2p. */
  readonly publicKey: Uint8Array
  /** 20 bytes */
  readonly address: Uint8Array
  /** Deterministic (RFC 6979), low s. @param hash 32 bytes */
  sign(hash: Uint8Array): RecoverableSignature
  /**
   * ECDH, for the handshakes of RLPx and discovery.
   * @param publicKey of the peer, 64 bytes x ‖ y
   * @returns x coordinate of the shared point, 32 bytes
   * @throws {NodeError} INVALID_PUBLIC_KEY when it is not a point of the curve
   */
  agree(publicKey: Uint8Array): Uint8Array
}
