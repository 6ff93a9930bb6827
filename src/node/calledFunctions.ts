/**
 * The functions of contracts that the clients of a publisher call most, and what these need of the state.
 * @module
 */
import { LATEST } from '../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../api/calls/callSimulation.ts'
import type { CallObject } from '../api/calls/contract.ts'
import type { Caller } from '../api/calls/notes.ts'
import { MAX_CALLED_FUNCTIONS } from '../base/limits/limits.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../base/primitives/keccak.ts'
import { decodeFlatAccount } from '../state/account.ts'
import { keys } from '../storage/schema.ts'
import type { AccessList } from '../types/transaction.ts'
import { countable } from './callTally.ts'
import { encodeCallTable, SELECTOR_BYTES } from './readOnly/callTable.ts'

interface CalledFunction {
  readonly to: Uint8Array
  /** The last one. */
  call: CallObject
  count: number
  /** undefined: no call was examined yet */
  examined: Examined | undefined
}

interface Examined {
  readonly call: CallObject
  /** Keys that the call needs beside those of its target, by their text. */
  readonly needed: ReadonlyMap<string, Uint8Array>
  /** Those that calls with another sender and other arguments need too. */
  readonly common: readonly Uint8Array[]
}

/** After each table, a call counts half: a single one is forgotten after three. */
const LEAST_COUNT = 0.25
const UNWATCHED: Caller = { aborted: false, reason: undefined }

/** Counts calls, and examines one of each function now and then. Bounded by {@link MAX_CALLED_FUNCTIONS}. */
export class CalledFunctions {
  /** By the name of the function. */
  readonly #functions = new Map<string, CalledFunction>()
  /** undefined: there were no calls since the last table */
  #backend: CallBackend | undefined

  /**
   * @param backend that can repeat the call
   * @param count calls of the function; `call` is the last one
   */
  note(call: CallObject, backend: CallBackend, count = 1): void {
    const counted = countable(call)
    if (counted === undefined) return
    this.#backend = backend
    const known = this.#functions.get(counted.name)
    if (known !== undefined) {
      known.call = counted.call
      known.count += count
    } else if (this.#functions.size < MAX_CALLED_FUNCTIONS) {
      this.#functions.set(counted.name, { to: counted.to, call: counted.call, count, examined: undefined })
    }
  }

  /**
   * Examines the functions, those that were called most first, until the table is full.
   * @returns the encoded table (readOnly/callTable.ts); undefined without calls since the last one
   */
  async table(reader: KeyValueReader): Promise<Uint8Array | undefined> {
    const backend = this.#backend
    if (backend === undefined) return undefined
    this.#backend = undefined
    const byCount = [...this.#functions].sort(([, a], [, b]) => b.count - a.count)
    const table = new Map<string, readonly Uint8Array[]>()
    let encoded = encodeCallTable(table)
    for (const [name, called] of byCount) {
      const needed = await examine(called, reader, backend)
      if (needed.length === 0) continue
      table.set(name, needed)
      const longer = encodeCallTable(table)
      if (longer.length === encoded.length) break
      encoded = longer
    }
    this.#fade()
    return encoded
  }

  /** Older calls count less, so that others find room. */
  #fade(): void {
    for (const [name, called] of this.#functions) {
      called.count /= 2
      if (called.count < LEAST_COUNT) this.#functions.delete(name)
    }
  }
}

/** @returns keys of the target and its code, and those that calls of the function need whatever their arguments are */
async function examine(called: CalledFunction, reader: KeyValueReader, backend: CallBackend): Promise<Uint8Array[]> {
  const { to, call } = called
  const target = keysOf({ address: to, storageKeys: [] }, reader)
  const needed = new Map<string, Uint8Array>()
  for (const entry of await accessed(call, backend))
    for (const key of keysOf(entry, reader)) needed.set(bytesToHexUnprefixed(key), key)
  for (const key of target) needed.delete(bytesToHexUnprefixed(key))
  const common = commonKeys(call, needed, called.examined)
  called.examined = { call, needed, common }
  return [...target, ...common]
}

/** @returns keys of an account, its code and its slots; none for an account that does not exist */
function keysOf({ address, storageKeys }: AccessList[number], reader: KeyValueReader): Uint8Array[] {
  const addressHash = keccak256(address)
  const key = keys.flatAccount(addressHash)
  const bytes = reader.get(key)
  if (bytes === undefined) return []
  const { codeHash, incarnation } = decodeFlatAccount(bytes)
  const code = equalBytes(codeHash, EMPTY_CODE_HASH) ? [] : [keys.code(codeHash)]
  return [key, ...code, ...storageKeys.map((slot) => keys.flatStorage(addressHash, incarnation, keccak256(slot)))]
}

/** @returns nothing for a call that fails */
async function accessed(call: CallObject, backend: CallBackend): Promise<AccessList> {
  const options = { block: LATEST, stateOverrides: undefined, blockOverrides: undefined }
  try {
    const simulation = new CallSimulation(backend, options, UNWATCHED)
    const outcome = await simulation.run(call, { chargesFees: false, collectAccessed: true })
    return outcome.kind === 'executed' ? (outcome.result.accessed ?? []) : []
  } catch {
    return []
  }
}

/** A key that depends on the sender or the arguments says nothing of the next call, and something of its caller. */
function commonKeys(
  call: CallObject,
  needed: ReadonlyMap<string, Uint8Array>,
  before: Examined | undefined,
): readonly Uint8Array[] {
  if (call.from === undefined && call.data.length === SELECTOR_BYTES) return [...needed.values()]
  if (before === undefined) return []
  if (!differ(call, before.call)) return before.common
  return [...needed].filter(([text]) => before.needed.has(text)).map(([, key]) => key)
}

/** Whether two calls of a function have different senders and different arguments, as far as they have any. */
function differ(a: CallObject, b: CallObject): boolean {
  const haveSender = a.from !== undefined && b.from !== undefined
  const haveArguments = Math.max(a.data.length, b.data.length) > SELECTOR_BYTES
  return !(haveSender && equalBytes(a.from, b.from)) && !(haveArguments && equalBytes(a.data, b.data))
}
