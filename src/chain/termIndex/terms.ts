/**
 * Terms, the entries of the log and account index: 32-bit fingerprints of log addresses, log topics and accounts that a
 * block read or wrote. Search results are always verified against the block, so a collision, even a forged one, costs
 * one wasted read.
 * @module
 */

/** Replaces the accounts of a block that was executed without an index. */
export const UNKNOWN_ACCOUNTS = 0

const LOG_ADDRESS_SEED = 0x2545f491
/** Seed for the topic at position 0; the seeds of the other positions follow. */
const LOG_TOPIC_SEED = 0x6c62272e
const ACCOUNT_SEED = 0x1b873593

export function logAddressTerm(address: Uint8Array): number {
  return fingerprint(LOG_ADDRESS_SEED, address)
}

/** The same topic at different positions gives different terms. */
export function logTopicTerm(position: number, topic: Uint8Array): number {
  return fingerprint(LOG_TOPIC_SEED + position, topic)
}

/** Term of an account that the execution of a block read or wrote. */
export function accountTerm(address: Uint8Array): number {
  return fingerprint(ACCOUNT_SEED, address)
}

/**
 * @param bytes length is a multiple of 4
 * @returns 1 to 2^32 - 1
 */
function fingerprint(seed: number, bytes: Uint8Array): number {
  let hash = seed
  for (let i = 0; i < bytes.length; i += 4) {
    const word =
      ((bytes[i] as number) << 24) |
      ((bytes[i + 1] as number) << 16) |
      ((bytes[i + 2] as number) << 8) |
      (bytes[i + 3] as number)
    hash = Math.imul(hash ^ word, 0x9e3779b1)
    hash = (hash << 13) | (hash >>> 19)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return Math.max((hash ^ (hash >>> 16)) >>> 0, UNKNOWN_ACCOUNTS + 1)
}
