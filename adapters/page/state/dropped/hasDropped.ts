import { readSetting } from '../settings.ts'

/** Name of the setting that says so: readers who never dropped a contract load nothing for it. */
export const DROPPED = 'dropped'

export function hasDropped(): boolean {
  return readSetting(DROPPED) !== undefined
}
