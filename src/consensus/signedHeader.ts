/** Parts of the headers that Clique, IBFT and QBFT share. */

/** The vanity begins the extra data. */
export const VANITY_BYTES = 32
/** r ‖ s ‖ recovery id */
export const SEAL_BYTES = 65

/** Nonce of a vote that adds a signer or validator. */
export const ADD_NONCE: Uint8Array = new Uint8Array(8).fill(0xff)
/** Nonce of a vote that removes one, and of a block without a vote. */
export const DROP_NONCE: Uint8Array = new Uint8Array(8)
