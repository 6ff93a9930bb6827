/**
 * The calls, creations and self-destructs of one transaction, in the order of their starts.
 * @see reference: debug-and-trace section 7
 * @module
 */
import type { CallEnd, CallStart, ExecutionHooks, SelfDestructEvent } from '../../evm/hooks.ts'
import { HeldBytes } from '../heldBytes.ts'

export interface FlatEntry {
  readonly event:
    | { readonly kind: 'call'; readonly start: CallStart }
    | { readonly kind: 'selfDestruct'; readonly selfDestruct: SelfDestructEvent }
  /** undefined: the message itself */
  readonly parent: FlatEntry | undefined
  /** Which child of its parent it is. */
  readonly index: number
  /** Direct children, self-destructs included. */
  children: number
  /** How the call ended; undefined while it runs, and of a self-destruct. */
  end: CallEnd | undefined
}

/** What an entry takes beside its data (estimate). */
const ENTRY_BYTES = 512

/**
 * Collects the entries of one transaction. Not listed: calls of precompiles by contracts, and calls and creations that were
 * refused for their depth, value or nonce.
 */
export class FlatTrace {
  readonly hooks: ExecutionHooks
  readonly #entries: FlatEntry[] = []
  /** The calls that run, outermost first; undefined for one that is not listed. */
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
      // Nothing ran, so it is the last one.
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

/** The way from the message to an entry: which child at each level. */
export function traceAddress(entry: FlatEntry): readonly number[] {
  const address: number[] = []
  for (let at = entry; at.parent !== undefined; at = at.parent) address.push(at.index)
  return address.reverse()
}

/** `action.from`: who called; undefined for what is no call. */
export function callFrom({ event }: FlatEntry): Uint8Array | undefined {
  if (event.kind !== 'call') return undefined
  const { kind, address, caller } = event.start
  // Inside, CALLER is that of the frame whose account it works on.
  return kind === 'DELEGATECALL' || kind === 'CALLCODE' ? address : caller
}

/** `action.to`: who was called; undefined for what is no call of an account. */
export function callTo({ event }: FlatEntry): Uint8Array | undefined {
  if (event.kind !== 'call') return undefined
  return isCreation(event.start) ? undefined : event.start.target
}

export function isCreation({ kind }: CallStart): boolean {
  return kind === 'CREATE' || kind === 'CREATE2'
}
