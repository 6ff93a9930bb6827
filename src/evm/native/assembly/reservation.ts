/** Memory of the tables and the journal together, for one message. */
import { reserveJournal, resetJournal } from './journal'
import { emptyTables, growTables } from './tables'

/** Empties the tables and the journal. */
export function resetTables(): void {
  emptyTables()
  resetJournal()
}

/**
 * Reserves space for one opcode in the tables and the journal; false when the memory cannot grow. May move the frames;
 * adding entries afterwards does not. Must be called once before the first lookup.
 */
export function reserveTables(): bool {
  return reserveJournal() && growTables()
}
