/**
 * The seal of a Clique header: its signer's signature at the end of the extra data.
 * @see EIP-225; docs/reference/consensus-clique.md section 3
 * @module
 */
import type { Signer } from '../../base/ports/signer.ts'
import { concatBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import { recoverAddress } from '../../base/primitives/secp256k1.ts'
import type { Header } from '../../types/block.ts'
import { encodeHeaderFields } from '../../types/headerCodec.ts'
import { SEAL_BYTES } from '../signedHeader.ts'

const EXTRA_DATA_FIELD = 12
const SIGNATURE_BYTES = 64

/**
 * The hash that a signer signs: of the header without the seal.
 * @param header with at least 65 bytes of extra data
 * @returns 32 bytes
 */
export function cliqueSealHash(header: Header): Uint8Array {
  const fields = encodeHeaderFields(header)
  fields[EXTRA_DATA_FIELD] = header.extraData.subarray(0, header.extraData.length - SEAL_BYTES)
  return keccak256(rlpEncode(fields))
}

/** @returns the seal of a header, r ‖ s ‖ v, 65 bytes */
export function signCliqueHeader(header: Header, signer: Signer): Uint8Array {
  const { signature, yParity } = signer.sign(cliqueSealHash(header))
  return concatBytes(signature, Uint8Array.of(yParity))
}

/** Recovers signers; each header object once. */
export class SealReader {
  readonly #known = new WeakMap<Header, Uint8Array | 'none'>()

  /** @returns 20 bytes; undefined when the header has no valid seal */
  signerOf(header: Header): Uint8Array | undefined {
    let signer = this.#known.get(header)
    if (signer === undefined) {
      signer = recoverSigner(header) ?? 'none'
      this.#known.set(header, signer)
    }
    return signer === 'none' ? undefined : signer
  }
}

function recoverSigner(header: Header): Uint8Array | undefined {
  const { extraData } = header
  if (extraData.length < SEAL_BYTES) return undefined
  const seal = extraData.subarray(extraData.length - SEAL_BYTES)
  const v = seal[SIGNATURE_BYTES]
  if ((v !== 0 && v !== 1) || isZeroBytes(seal)) return undefined
  return recoverAddress(cliqueSealHash(header), seal.subarray(0, SIGNATURE_BYTES), v)
}
