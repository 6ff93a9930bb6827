/**
 * Rules that all BFT engines share.
 * @see docs/reference/consensus-ibft-qbft.md section 3
 * @module
 */

import { bytesToHex, equalBytes, hexToBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../../base/primitives/keccak.ts'
import { type BftSettings, leastSecondsOf } from '../../config/bftConfig.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { Header } from '../../types/block.ts'
import { type Addresses, hasAddress } from './addresses.ts'
import { recoverSigner } from './hashes.ts'

/** mixHash of every block: "ctical byzantine fault tolerance" */
export const BFT_DIGEST: Uint8Array = hexToBytes('63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365')
/** Maximum lead of a timestamp over the local clock. */
const MAX_FUTURE_SECONDS = 1n

/** @param nowMs wall clock, milliseconds since 1970 */
export function bftArrival({ timestamp }: Header, nowMs: number): 'now' | 'future' {
  return timestamp > BigInt(Math.floor(nowMs / 1000)) + MAX_FUTURE_SECONDS ? 'future' : 'now'
}

/** Ignores the extra data. @returns why the header is invalid; undefined if it is valid */
export function checkBftFields(
  { mixHash, difficulty, ommersHash, timestamp }: Header,
  parent: Header,
  settings: BftSettings,
): string | undefined {
  if (!equalBytes(mixHash, BFT_DIGEST)) {
    return `invalid mix hash: ${bytesToHex(mixHash)}, must be ${bytesToHex(BFT_DIGEST)}`
  }
  if (difficulty !== 1n) return `invalid difficulty: ${difficulty}, must be 1`
  if (!equalBytes(ommersHash, EMPTY_LIST_HASH)) {
    return `invalid ommers hash: ${bytesToHex(ommersHash)}, this engine allows no ommers`
  }
  const leastSeconds = leastSecondsOf(settings)
  return timestamp >= parent.timestamp + BigInt(leastSeconds)
    ? undefined
    : `invalid timestamp: ${timestamp}, the parent's is ${parent.timestamp} and the least distance ${leastSeconds} s`
}

/**
 * Counts the commit seals before the first is recovered, and ends at the first invalid one.
 * @param digest what was sealed, 32 bytes
 * @param quorum minimum number of seals
 */
export function checkCommitSeals(
  digest: Uint8Array,
  seals: readonly Uint8Array[],
  validators: Addresses,
  quorum: number,
): string | undefined {
  const read = readSealers(digest, seals, validators)
  if (read.kind === 'invalid') return read.reason
  const { length } = read.sealers
  return length >= quorum ? undefined : `invalid seals: ${length} of them, at least ${quorum} are required`
}

export type Sealers =
  | { readonly kind: 'sealers'; readonly sealers: Addresses }
  | { readonly kind: 'invalid'; readonly reason: string }

/** The validators that sealed a block, each once; ends at the first seal that none of them gave. */
export function readSealers(digest: Uint8Array, seals: readonly Uint8Array[], validators: Addresses): Sealers {
  const invalid = (reason: string): Sealers => ({ kind: 'invalid', reason })
  if (seals.length > validators.length)
    return invalid(`invalid seals: ${seals.length} of ${validators.length} validators`)
  const sealers: Uint8Array[] = []
  for (const [i, seal] of seals.entries()) {
    const sealer = recoverSigner(digest, seal)
    if (sealer === undefined) return invalid(`invalid seal ${i}: no account can be recovered from it`)
    if (!hasAddress(validators, sealer))
      return invalid(`invalid seal ${i}: ${bytesToHex(sealer)} is not a validator of the block`)
    if (hasAddress(sealers, sealer)) return invalid(`invalid seal ${i}: ${bytesToHex(sealer)} has sealed twice`)
    sealers.push(sealer)
  }
  return { kind: 'sealers', sealers }
}

/** Credits the reward; zero touches no account. */
export function payReward(state: StateDB, address: Uint8Array, wei: bigint): void {
  if (wei > 0n) state.setBalance(address, (state.getAccount(address)?.balance ?? 0n) + wei)
}
