/**
 * The rows of the comparison: a feature, and the check that calls the tool or reads its log.
 * @returns by check: 'yes', 'no', or 'part: …'
 */
import { chainRows, forkRow, logRows } from './chainRows.mjs'
import { clientRows } from './clientRows.mjs'
import { devRows } from './devRows.mjs'
import { methodRows } from './methodRows.mjs'
import { optionRows } from './optionRows.mjs'
import { pageRows } from './pageRows.mjs'

export { stopShared } from './nodes.mjs'

export const ROWS = {
  ...logRows,
  ...chainRows,
  ...optionRows,
  ...devRows,
  ...clientRows,
  ...pageRows,
  ...methodRows,
  ...forkRow,
}
