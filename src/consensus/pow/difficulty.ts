/**
 * Difficulty of the next proof-of-work block.
 * @see Yellow Paper 4.4.4; EIP-2, EIP-100, EIP-649 and its successors; ECIP-1010, ECIP-1041;
 * docs/reference/pow-ethash.md section 2
 * @module
 */
import type { DifficultyRule } from '../../config/forks.ts'

const MINIMUM_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2048n
const LOWEST_FACTOR = -99n
/** Frontier: a shorter block time, in seconds, increases the difficulty. */
const FRONTIER_DURATION = 13n
/** EIP-2, seconds */
const HOMESTEAD_STEP = 10n
/** EIP-100, seconds */
const BYZANTIUM_STEP = 9n
const BOMB_PERIOD_BLOCKS = 100_000n

export interface DifficultyParent {
  readonly number: bigint
  readonly timestamp: bigint
  readonly difficulty: bigint
  readonly hasOmmers: boolean
}

/** @param timestamp of the new block, seconds; not earlier than the parent's */
export function nextDifficulty(parent: DifficultyParent, timestamp: bigint, rule: DifficultyRule): bigint {
  const adjusted = parent.difficulty + (parent.difficulty / BOUND_DIVISOR) * factor(parent, timestamp, rule.formula)
  const clamped = adjusted < MINIMUM_DIFFICULTY ? MINIMUM_DIFFICULTY : adjusted
  return clamped + bomb(parent.number + 1n, rule.bomb)
}

/** Change of the difficulty in 2048ths. */
function factor(parent: DifficultyParent, timestamp: bigint, formula: DifficultyRule['formula']): bigint {
  const seconds = timestamp - parent.timestamp
  if (formula === 'frontier') return seconds < FRONTIER_DURATION ? 1n : -1n
  const steps =
    formula === 'homestead' ? 1n - seconds / HOMESTEAD_STEP : (parent.hasOmmers ? 2n : 1n) - seconds / BYZANTIUM_STEP
  return steps < LOWEST_FACTOR ? LOWEST_FACTOR : steps
}

function bomb(number: bigint, rule: DifficultyRule['bomb']): bigint {
  const period = bombPeriod(number, rule)
  return period > 1n ? 1n << (period - 2n) : 0n
}

function bombPeriod(number: bigint, rule: DifficultyRule['bomb']): bigint {
  switch (rule.kind) {
    case 'delay':
      return (number - rule.blocks) / BOMB_PERIOD_BLOCKS
    case 'paused':
      return rule.period
    case 'shift':
      return number / BOMB_PERIOD_BLOCKS - rule.periods
    case 'none':
      return 0n
  }
}
