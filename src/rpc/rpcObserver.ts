import type { CallNotes } from '../api/calls/notes.ts'
import type { RpcError } from './errors.ts'

/** A running call; it also receives notes of what the call executes. */
export interface ObservedCall extends CallNotes {
  /**
   * Called once, when the answer is known. A streamed answer may still fail.
   * @param endedMs monotonic, milliseconds
   */
  end(error: RpcError | undefined, endedMs: number): void
  /**
   * Called after `end` with an error, before it is sent.
   * @returns lines of its stack trace; undefined when none is known
   */
  explain?(error: RpcError): Promise<readonly string[] | undefined> | undefined
}

/** Observes the calls of clients. */
export interface RpcObserver {
  /**
   * Called before a method runs, also for one that does not exist.
   * @param startedMs monotonic, milliseconds
   * @param isOwnPage whether the explorer of this node asks
   * @returns undefined when the call is not observed
   */
  begin(method: string, startedMs: number, isOwnPage?: boolean): ObservedCall | undefined
}
