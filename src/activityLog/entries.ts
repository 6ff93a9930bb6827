/**
 * Entries of the log: what happened, before it is written as text or records.
 * @module
 */
import type { CallNotes, NotedCall } from '../api/calls/notes.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { SealedBlock } from '../chain/writeTask.ts'

/** An answer's error as clients see it. */
export interface CallError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** @returns lines of the stack trace of a failed call; undefined when none is known */
export type Explain = (entry: CallEntry, error: CallError) => Promise<readonly string[] | undefined> | undefined

/** When a call began. */
export interface CallStart {
  /** Monotonic, milliseconds. */
  readonly startedMs: number
  /** Milliseconds since 1970. */
  readonly timeMs: number
}

/** A JSON-RPC call. */
export class CallEntry implements CallNotes {
  readonly kind = 'call'
  readonly method: string
  /** Monotonic, milliseconds. */
  readonly startedMs: number
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly watchedAddress: Uint8Array
  /** undefined while the call runs */
  durationMs: number | undefined
  error: CallError | undefined
  executed: NotedCall | undefined
  /** Whether it left the queue before it finished; it is queued again when it finishes. */
  isDetached = false
  /** Whether it is only counted, because too many entries wait. */
  isDropped = false
  readonly #ended: (entry: CallEntry) => void
  readonly #explain: Explain | undefined

  constructor(
    method: string,
    { startedMs, timeMs }: CallStart,
    watchedAddress: Uint8Array,
    ended: (entry: CallEntry) => void,
    explain: Explain | undefined,
  ) {
    this.method = method
    this.startedMs = startedMs
    this.timeMs = timeMs
    this.watchedAddress = watchedAddress
    this.#ended = ended
    this.#explain = explain
  }

  note(call: NotedCall): void {
    this.executed = call
  }

  /** @param endedMs monotonic, milliseconds */
  end(error: CallError | undefined, endedMs: number): void {
    this.error = error
    this.durationMs = endedMs - this.startedMs
    this.#ended(this)
  }

  explain(error: CallError): Promise<readonly string[] | undefined> | undefined {
    return this.#explain?.(this, error)
  }
}

/** Consecutive empty blocks. */
export interface EmptyBlocks {
  readonly kind: 'empty'
  /** Of the last one, in milliseconds since 1970. */
  timeMs: number
  readonly first: ChainHeader
  last: ChainHeader
}

export interface BlockEntry {
  readonly kind: 'block'
  readonly sealed: SealedBlock
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** Bytes of its call data and outputs. */
  readonly bytes: number
  /** Position of the next transaction to print. */
  next: number
}

/** The head went back. */
export interface BackEntry {
  readonly kind: 'back'
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly head: ChainHeader
}

/** An event outside blocks and calls. */
export interface NoteEntry {
  readonly kind: 'note'
  readonly level: 'info' | 'warn'
  readonly text: string
  /** Milliseconds since 1970. */
  readonly timeMs: number
}

export type Entry = CallEntry | EmptyBlocks | BlockEntry | BackEntry | NoteEntry
