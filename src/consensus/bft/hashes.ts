/**
 * Block hash and commit seals of IBFT 2.0 and QBFT. The block hash covers neither round nor seals, so nodes that hold
 * different sets of seals agree on it.
 * @see docs/reference/consensus-ibft-qbft.md section 2
 * @module
 */
import { concatBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { type RecoverableSignature, recoverAddress } from '../../base/primitives/secp256k1.ts'
import type { Header } from '../../types/block.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import { fullHeaderHash } from '../headerLimits.ts'
import { SEAL_BYTES } from '../signedHeader.ts'
import { type BftExtraData, decodeExtraData, type ExtraDataForm, encodeExtraData } from './extraData.ts'
import type { BftFlavour } from './flavour.ts'

/**
 * The genesis is hashed unchanged. So is a header whose extra data cannot be decoded: it is invalid, but still needs an
 * identifier.
 * @param encoded the header's RLP if available
 * @returns 32 bytes
 */
export function bftBlockHash(header: Header, flavour: BftFlavour, encoded?: Uint8Array): Uint8Array {
  if (header.number === 0n) return fullHeaderHash(header, encoded)
  try {
    return hashWithForm(header, decodeExtraData(header.extraData, flavour), flavour, 'blockHash')
  } catch (error) {
    if (!isNodeError(error, 'INVALID_EXTRA_DATA')) throw error
    return fullHeaderHash(header, encoded)
  }
}

/**
 * The hash that commit seals sign, and the digest of a proposal. It depends on the round.
 * @param extra the header's extra data if decoded
 * @returns 32 bytes
 * @throws {NodeError} INVALID_EXTRA_DATA
 */
export function commitSealHash(
  header: Header,
  flavour: BftFlavour,
  extra: BftExtraData = decodeExtraData(header.extraData, flavour),
): Uint8Array {
  return hashWithForm(header, extra, flavour, 'commitSeal')
}

/**
 * The header with another round, without seals.
 * @throws {NodeError} INVALID_EXTRA_DATA
 */
export function withRound(header: Header, round: number, flavour: BftFlavour): Header {
  return withExtraData(header, { ...decodeExtraData(header.extraData, flavour), round, seals: [] }, flavour)
}

/**
 * The header as committed: with the round in which the seals were given.
 * @param seals 65 bytes each
 * @throws {NodeError} INVALID_EXTRA_DATA
 */
export function withSeals(header: Header, round: number, seals: readonly Uint8Array[], flavour: BftFlavour): Header {
  return withExtraData(header, { ...decodeExtraData(header.extraData, flavour), round, seals }, flavour)
}

function withExtraData(header: Header, extra: BftExtraData, flavour: BftFlavour): Header {
  return { ...header, extraData: encodeExtraData(extra, flavour) }
}

/** @returns 65 bytes: r ‖ s ‖ y parity */
export function encodeSeal({ signature, yParity }: RecoverableSignature): Uint8Array {
  return concatBytes(signature, Uint8Array.of(yParity))
}

/**
 * @param seal r ‖ s ‖ y parity
 * @returns 20 bytes; undefined when the seal has another length or no account can be recovered from it
 */
export function recoverSigner(hash: Uint8Array, seal: Uint8Array): Uint8Array | undefined {
  const yParity = seal[SEAL_BYTES - 1]
  if (seal.length !== SEAL_BYTES || (yParity !== 0 && yParity !== 1)) return undefined
  return recoverAddress(hash, seal.subarray(0, SEAL_BYTES - 1), yParity)
}

function hashWithForm(header: Header, extra: BftExtraData, flavour: BftFlavour, form: ExtraDataForm): Uint8Array {
  return keccak256(encodeHeader({ ...header, extraData: encodeExtraData(extra, flavour, form) }))
}
