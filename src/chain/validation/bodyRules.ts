/**
 * Validates a body against its header, as far as possible without execution.
 * @see Yellow Paper 4.4.3; EIP-4895, EIP-7934
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, keccak256 } from '../../base/primitives/keccak.ts'
import type { ForkRules } from '../../config/forks.ts'
import { orderedTrieRoot } from '../../trie/orderedRoot.ts'
import type { Header } from '../../types/block.ts'
import type { BodyEncodings } from '../../types/blockCodec.ts'

/** EIP-7934: 10 MiB less a margin of 2 MiB for the consensus layer. */
export const MAX_RLP_BLOCK_BYTES = 8_388_608

/** A block whose body is split, and need not have been decoded. */
export interface SplitBlock {
  readonly encodings: BodyEncodings
  /** RLP of the block */
  readonly rlp: Uint8Array
}

/** The hashes by which a header names its body. */
export interface BodyRoots {
  readonly transactionsRoot: Uint8Array
  readonly ommersHash: Uint8Array
  /** undefined: the body has no list of withdrawals */
  readonly withdrawalsRoot: Uint8Array | undefined
}

/** @returns why the body does not belong to the header; undefined when it does */
export function validateBody({ encodings, rlp }: SplitBlock, header: Header, rules: ForkRules): string | undefined {
  return checkSize(rlp.length, rules) ?? checkRoots(bodyRoots(encodings), header)
}

export function bodyRoots({ transactions, ommers, withdrawals }: BodyEncodings): BodyRoots {
  return {
    transactionsRoot: orderedTrieRoot(transactions),
    ommersHash: ommers.length === 1 ? EMPTY_LIST_HASH : keccak256(ommers),
    withdrawalsRoot: withdrawals === undefined ? undefined : orderedTrieRoot(withdrawals),
  }
}

/** @returns why a body with these roots does not belong to the header; undefined when it does */
export function checkRoots(roots: BodyRoots, header: Header): string | undefined {
  return (
    checkHash('transactions root', header.transactionsRoot, roots.transactionsRoot) ??
    checkHash('ommers hash', header.ommersHash, roots.ommersHash) ??
    checkWithdrawals(header.withdrawalsRoot, roots.withdrawalsRoot)
  )
}

/** @returns the reason, naming `what`, when two hashes differ */
export function checkHash(what: string, actual: Uint8Array, expected: Uint8Array): string | undefined {
  return equalBytes(actual, expected)
    ? undefined
    : `invalid ${what}: ${bytesToHex(actual)}, must be ${bytesToHex(expected)}`
}

/** @param length of the block's RLP in bytes @returns the reason when the block is too large */
export function checkSize(length: number, { eips }: ForkRules): string | undefined {
  return eips.has(7934) && length > MAX_RLP_BLOCK_BYTES
    ? `invalid block size: ${length} bytes, the maximum is ${MAX_RLP_BLOCK_BYTES}`
    : undefined
}

function checkWithdrawals(named: Uint8Array | undefined, found: Uint8Array | undefined): string | undefined {
  if (named === undefined) {
    return found === undefined ? undefined : `unexpected withdrawals: the header has no withdrawals root`
  }
  if (found === undefined) return `missing withdrawals: the header has a withdrawals root`
  return checkHash('withdrawals root', named, found)
}
