/**
 * Validates a body against its header, as far as possible without execution.
 * @see Yellow Paper 4.4.3; EIP-4895, EIP-7934
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, keccak256 } from '../../base/primitives/keccak.ts'
import type { ForkRules } from '../../config/forks.ts'
import { orderedTrieRoot } from '../../trie/orderedRoot.ts'
import type { Block } from '../../types/block.ts'
import type { BlockEncodings } from '../../types/blockCodec.ts'
import type { EncodedBlock } from '../preparedBlock.ts'

/** EIP-7934: 10 MiB less a margin of 2 MiB for the consensus layer. */
export const MAX_RLP_BLOCK_BYTES = 8_388_608

/** @returns why the body does not belong to the header; undefined when it does */
export function validateBody({ block, encodings, rlp }: EncodedBlock, rules: ForkRules): string | undefined {
  return (
    checkSize(rlp, rules) ??
    checkHash('transactions root', block.header.transactionsRoot, orderedTrieRoot(encodings.transactions)) ??
    checkHash('ommers hash', block.header.ommersHash, ommersHash(block, encodings)) ??
    checkWithdrawals(block, encodings)
  )
}

/** @returns the reason, naming `what`, when two hashes differ */
export function checkHash(what: string, actual: Uint8Array, expected: Uint8Array): string | undefined {
  return equalBytes(actual, expected)
    ? undefined
    : `invalid ${what}: ${bytesToHex(actual)}, must be ${bytesToHex(expected)}`
}

function ommersHash({ ommers }: Block, encodings: BlockEncodings): Uint8Array {
  return ommers.length === 0 ? EMPTY_LIST_HASH : keccak256(encodings.ommers)
}

function checkSize({ length }: Uint8Array, { eips }: ForkRules): string | undefined {
  return eips.has(7934) && length > MAX_RLP_BLOCK_BYTES
    ? `invalid block size: ${length} bytes, the maximum is ${MAX_RLP_BLOCK_BYTES}`
    : undefined
}

function checkWithdrawals({ header }: Block, { withdrawals }: BlockEncodings): string | undefined {
  const { withdrawalsRoot } = header
  if (withdrawalsRoot === undefined) {
    return withdrawals === undefined ? undefined : `unexpected withdrawals: the header has no withdrawals root`
  }
  if (withdrawals === undefined) return `missing withdrawals: the header has a withdrawals root`
  return checkHash('withdrawals root', withdrawalsRoot, orderedTrieRoot(withdrawals))
}
