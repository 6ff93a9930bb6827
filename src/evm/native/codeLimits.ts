import type { ForkRules } from '../../config/forks.ts'

const CODE_LIMIT = 24_576
const INIT_CODE_LIMIT = 49_152
/** EIP-3860: ratio of the limits of init code and code. */
const INIT_CODE_FACTOR = 2

/**
 * Maximum code size in bytes; undefined for no limit.
 * @param ofChain the chain's own limit
 * @see EIP-170
 */
export function codeLimit({ eips }: ForkRules, ofChain: number | undefined): number | undefined {
  return eips.has(170) ? (ofChain ?? CODE_LIMIT) : undefined
}

/**
 * Maximum init code size in bytes; undefined for no limit.
 * @see EIP-3860
 */
export function initCodeLimit({ eips }: ForkRules, ofChain: number | undefined): number | undefined {
  if (!eips.has(3860)) return undefined
  return ofChain === undefined ? INIT_CODE_LIMIT : Math.max(INIT_CODE_LIMIT, ofChain * INIT_CODE_FACTOR)
}
