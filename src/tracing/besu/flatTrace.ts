/**
 * The calls, creations and self-destructs of one transaction, in starting order.
 * @see docs/reference/debug-and-trace.md section 7
 * @module
 */
import type { CallEnd, CallStart, ExecutionHooks, SelfDestructEvent } from '../../evm/hooks.ts'
import { HeldBytes } from '../heldBytes.ts'

export interface FlatEntry {
  readonly event:
    | { readonly kind: 'call'; readonly start: CallStart }
    | { readonly kind: 'selfDestruct'; readonly selfDestruct: SelfDestructEvent }
  /** undefined for the message itself */
  readonly parent: FlatEntry | undefined
  /** Index among the children of its parent. */
  readonly index: number
  /** Number of direct children, including self-destructs. */
  children: number
  /** How the call ended; undefined while it runs, and for a self-destruct. */
  end: CallEnd | undefined
}

/** Estimated memory of an entry without its data, in bytes. */
const ENTRY_BYTES = 512

/**
 * Collects the entries of one transaction. Omits calls from contracts to precompiles, and calls and creations refused
 * because of depth, value or nonce.
 */
export class FlatTrace {
  readonly hooks: ExecutionHooks
  readonly #entries: FlatEntry[] = []
  /** The running calls, outermost first; undefined for a call that is not listed. */
  readonly #open: (FlatEntry | undefined)[] = []
  readonly #held = new HeldBytes()

  constructor() {
    this.hooks = {
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      selfDestruct: (event) => this.#selfDestruct(event),
    }
  }

  get entries(): readonly FlatEntry[] {
    return this.#entries
  }

  #enter(start: CallStart): void {
    const isListed = start.depth === 0 || start.runs !== 'precompile'
    this.#open.push(isListed ? this.#add({ kind: 'call', start }, start.input.length) : undefined)
  }

  #exit(end: CallEnd): void {
    const entry = this.#open.pop()
    if (entry === undefined) return
    if (end.outcome === 'refused' && entry.parent !== undefined) {
      // Nothing ran inside it, so it is the last entry.
      this.#entries.pop()
      entry.parent.children--
      return
    }
    entry.end = end
    this.#held.add(end.output.length)
  }

  #selfDestruct(selfDestruct: SelfDestructEvent): void {
    this.#add({ kind: 'selfDestruct', selfDestruct }, 0)
  }

  #add(event: FlatEntry['event'], bytes: number): FlatEntry {
    this.#held.add(bytes + ENTRY_BYTES)
    const parent = this.#open.at(-1)
    const index = parent === undefined ? 0 : parent.children++
    const entry: FlatEntry = { event, parent, index, children: 0, end: undefined }
    this.#entries.push(entry)
    return entry
  }
}

/** The child indexes on the path from the message to an entry. */
export function traceAddress(entry: FlatEntry): readonly number[] {
  const address: number[] = []
  for (let at = entry; at.parent !== undefined; at = at.parent) address.push(at.index)
  return address.reverse()
}

/** `action.from`: the caller; undefined for an entry that is not a call. */
export function callFrom({ event }: FlatEntry): Uint8Array | undefined {
  if (event.kind !== 'call') return undefined
  const { kind, address, caller } = event.start
  // The calling account is the one that the frame works on; under DELEGATECALL, CALLER is inherited instead.
  return kind === 'DELEGATECALL' || kind === 'CALLCODE' ? address : caller
}

/** `action.to`: the called account; undefined for creations and for entries that are not calls. */
export function callTo({ event }: FlatEntry): Uint8Array | undefined {
  if (event.kind !== 'call') return undefined
  return isCreation(event.start) ? undefined : event.start.target
}

export function isCreation({ kind }: CallStart): boolean {
  return kind === 'CREATE' || kind === 'CREATE2'
}
