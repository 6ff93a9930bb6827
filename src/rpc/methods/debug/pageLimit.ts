import { MAX_STATE_RANGE_ITEMS } from '../../../base/limits/limits.ts'

/** Returns the number of entries of one answer. */
export function pageLimit(wanted: number): number {
  return Math.min(Math.max(wanted, 0), MAX_STATE_RANGE_ITEMS)
}
