/**
 * Signatures of messages.
 * @module
 */
import type { Signer } from '../../../base/ports/signer.ts'
import { encodeSeal, recoverSigner } from '../hashes.ts'
import type { BftBlock, Payload, Signed } from './payloads.ts'

/** r ‖ s ‖ y parity */
export const SIGNATURE_BYTES = 65

export interface PayloadHasher {
  /** The 32 bytes that the author signs. @param block the proposed one, for proposals */
  signingHash(payload: Payload, block?: BftBlock): Uint8Array
}

/** A received payload. Its author is recovered at the first access, so that refused messages cost no recovery. */
export class SignedPayload<P> {
  readonly payload: P
  readonly signature: Uint8Array
  /** undefined once the author is recovered */
  #hash: (() => Uint8Array) | undefined
  #author: Uint8Array | undefined

  /** @param hash returns the 32 bytes that were signed */
  constructor(payload: P, signature: Uint8Array, hash: () => Uint8Array) {
    this.payload = payload
    this.signature = signature
    this.#hash = hash
  }

  get author(): Uint8Array | undefined {
    if (this.#hash !== undefined) {
      this.#author = recoverSigner(this.#hash(), this.signature)
      this.#hash = undefined
    }
    return this.#author
  }
}

/** @param block the proposed one, for proposals */
export function signPayload<P extends Payload>(
  hasher: PayloadHasher,
  signer: Pick<Signer, 'address' | 'sign'>,
  payload: P,
  block?: BftBlock,
): Signed<P> {
  const signature = encodeSeal(signer.sign(hasher.signingHash(payload, block)))
  return { payload, signature, author: signer.address }
}
