/**
 * Times on both clocks of the host: one of them may stand still while the program does.
 * @module
 */
import type { Clock } from '../../base/ports/host.ts'

export interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.now(), monotonicMs: clock.monotonic() }
}

/** Whether more time than this has passed between two moments, on either clock. */
export function isLater(moment: Moment, than: Moment, byMs: number): boolean {
  return moment.wallMs - than.wallMs > byMs || moment.monotonicMs - than.monotonicMs > byMs
}
