import type { ChainHeader } from '../../chain/contract.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { Tracer } from '../../tracing/contract.ts'
import type { CallObject, CallOutcome } from './contract.ts'

/** A call that was executed for a client. */
export interface NotedCall {
  readonly call: CallObject
  readonly outcome: CallOutcome
  /** The block on whose state it ran, without overrides. */
  readonly header: ChainHeader
  /** Executes the call again. */
  trace(tracer: Tracer): Promise<void>
}

/** Receives the executed call of a request, for the log. */
export interface CallNotes {
  /** 20 bytes: calls to it are recorded in the outcome. */
  readonly watchedAddress: Uint8Array
  note(call: NotedCall): void
}

/** The request that a call is executed for. */
export interface Caller extends AbortState {
  /** undefined: nothing is logged */
  readonly notes?: CallNotes | undefined
}
