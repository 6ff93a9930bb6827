/**
 * The hash of a header of any consensus that this node knows.
 * @module
 */
import { equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { IBFT2, QBFT } from '../consensus/bft/flavour.ts'
import { bftBlockHash } from '../consensus/bft/hashes.ts'
import { decodeLegacyExtraData, legacyBlockHash } from '../consensus/bft/legacy.ts'
import { BFT_DIGEST } from '../consensus/bft/rules.ts'
import type { Header, HeaderDraft } from '../types/block.ts'
import { hashHeader } from '../types/headerCodec.ts'

/**
 * Whether a header has this hash. The hash of a BFT chain covers neither the round nor the seals.
 * @param hash 32 bytes
 */
export function hasHash(header: Header, hash: Uint8Array): boolean {
  if (!isEncodable(header)) return false
  if (equalBytes(hashHeader(header), hash)) return true
  if (!equalBytes(header.mixHash, BFT_DIGEST)) return false
  return [QBFT, IBFT2].some((flavour) => equalBytes(bftBlockHash(header, flavour), hash)) || hasLegacyHash(header, hash)
}

function hasLegacyHash(header: Header, hash: Uint8Array): boolean {
  try {
    return equalBytes(legacyBlockHash(header, decodeLegacyExtraData(header.extraData)), hash)
  } catch (error) {
    if (!isNodeError(error, 'INVALID_EXTRA_DATA')) throw error
    return false
  }
}

function isEncodable(header: Header): boolean {
  return Object.keys(encodableHeader(header)).length === Object.keys(header).length
}

/** Other chains leave out fields of earlier forks, without which those of later ones cannot be encoded. */
export function encodableHeader(header: Header): Header {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const draft: HeaderDraft = { ...header }
  const hasBaseFee = baseFeePerGas !== undefined
  const hasWithdrawals = hasBaseFee && withdrawalsRoot !== undefined
  const hasBlobs =
    hasWithdrawals && blobGasUsed !== undefined && excessBlobGas !== undefined && parentBeaconBlockRoot !== undefined
  if (!hasWithdrawals) delete draft.withdrawalsRoot
  if (!hasBlobs) {
    delete draft.blobGasUsed
    delete draft.excessBlobGas
    delete draft.parentBeaconBlockRoot
  }
  if (!hasBlobs || requestsHash === undefined) delete draft.requestsHash
  return draft
}
