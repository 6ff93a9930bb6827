import { MAX_STATE_RANGE_ITEMS } from '../../../config/limits.ts'

/** Entries of one answer. */
export function pageLimit(wanted: number): number {
  return Math.min(Math.max(wanted, 0), MAX_STATE_RANGE_ITEMS)
}
