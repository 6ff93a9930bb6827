import { EMPTY_BYTES, ZERO_WORD } from '../base/primitives/bytes.ts'
import { smallBytes } from '../base/primitives/smallBytes.ts'
import { ByteTable } from './byteTable.ts'
import type { KeyHashes } from './keyHashes.ts'

const INITIAL_SLOTS = 8
const WORD_BYTES = 32
/** The current value of a slot, followed by its base value. */
const PAIR_BYTES = 2 * WORD_BYTES
/** Generation of a slot without a current value: the slot has its base value, or zero. */
const NO_GENERATION = -1

const IS_DIRTY = 1
const HAS_BASE = 2
const HAS_ORIGIN = 4
const IS_STORED = 8

/** Storage slots of all accounts of a world state: words of 32 bytes in flat arrays, by slot id. */
export class StateSlots {
  readonly #table: ByteTable
  readonly #keyHashes: KeyHashes
  /**
   * Pairs: the current value, valid while `generations` equals the generation of the account, and the value at the
   * initial root of the world state, valid with HAS_BASE.
   */
  #words = EMPTY_BYTES
  /** Values at the start of the transaction `originalIn`; empty until the first write. */
  #originals = EMPTY_BYTES
  #generations: number[] = []
  #originalIn: number[] = []
  #flags: number[] = []
  #hashes: (Uint8Array | undefined)[] = []

  constructor(table: ByteTable, keyHashes: KeyHashes) {
    this.#table = table
    this.#keyHashes = keyHashes
  }

  static create(keyHashes: KeyHashes): StateSlots {
    return new StateSlots(new ByteTable(32), keyHashes)
  }

  /** @returns the slot's id, or -1 when it is unknown */
  find(account: number, slot: Uint8Array): number {
    return this.#table.find(account, slot)
  }

  get count(): number {
    return this.#flags.length
  }

  /** Adds an unknown slot. */
  add(account: number, slot: Uint8Array): number {
    const id = this.#table.add(account, slot)
    if (id * PAIR_BYTES === this.#words.length) {
      this.#words = grown(this.#words, Math.max(this.#words.length * 2, INITIAL_SLOTS * PAIR_BYTES))
    }
    this.#generations.push(NO_GENERATION)
    this.#originalIn.push(0)
    this.#flags.push(0)
    return id
  }

  /** Returns a copy of the 32 bytes. */
  slotOf(id: number): Uint8Array {
    return this.#table.keyOf(id)
  }

  /** Id of the account to which the slot belongs. */
  accountOf(id: number): number {
    return this.#table.scopeOf(id)
  }

  /** keccak256 of the slot. */
  hashOf(id: number): Uint8Array {
    const known = this.#hashes[id]
    if (known !== undefined) return known
    const hash = this.#keyHashes.ofSlot(this.slotOf(id))
    this.#hashes[id] = hash
    return hash
  }

  generationOf(id: number): number {
    return this.#generations[id] as number
  }

  value(id: number): Uint8Array {
    return wordAt(this.#words, id * PAIR_BYTES)
  }

  base(id: number): Uint8Array {
    return wordAt(this.#words, id * PAIR_BYTES + WORD_BYTES)
  }

  hasBase(id: number): boolean {
    return ((this.#flags[id] as number) & HAS_BASE) !== 0
  }

  setBase(id: number, value: Uint8Array): void {
    this.#words.set(value, id * PAIR_BYTES + WORD_BYTES)
    this.#flags[id] = (this.#flags[id] as number) | HAS_BASE
  }

  /** Whether the base value is stored, and not that of the state under a fork; undefined while unknown. */
  isStored(id: number): boolean | undefined {
    const flags = this.#flags[id] as number
    return (flags & HAS_ORIGIN) === 0 ? undefined : (flags & IS_STORED) !== 0
  }

  setStored(id: number, isStored: boolean): void {
    this.#flags[id] = (this.#flags[id] as number) | HAS_ORIGIN | (isStored ? IS_STORED : 0)
  }

  setValue(id: number, value: Uint8Array, generation: number): void {
    this.#words.set(value, id * PAIR_BYTES)
    this.#generations[id] = generation
  }

  /** Copies the current value, whatever its generation, to `target`. */
  saveValue(id: number, target: Uint8Array, offset: number): void {
    for (let i = 0, at = id * PAIR_BYTES; i < WORD_BYTES; i++) target[offset + i] = this.#words[at + i] as number
  }

  hasValue(id: number, value: Uint8Array): boolean {
    for (let i = WORD_BYTES - 1, at = id * PAIR_BYTES; i >= 0; i--) if (this.#words[at + i] !== value[i]) return false
    return true
  }

  /** Value at the start of `transaction`; undefined when the slot was not written in it. */
  original(id: number, transaction: number): Uint8Array | undefined {
    return this.#originalIn[id] === transaction ? wordAt(this.#originals, id * WORD_BYTES) : undefined
  }

  setOriginal(id: number, transaction: number, value: Uint8Array): void {
    const capacity = this.#words.length / 2
    if (this.#originals.length < capacity) this.#originals = grown(this.#originals, capacity)
    this.#originals.set(value, id * WORD_BYTES)
    this.#originalIn[id] = transaction
  }

  /** @returns false when it was already marked */
  markDirty(id: number): boolean {
    const flags = this.#flags[id] as number
    this.#flags[id] = flags | IS_DIRTY
    return (flags & IS_DIRTY) === 0
  }

  clearDirty(id: number): void {
    this.#flags[id] = (this.#flags[id] as number) & ~IS_DIRTY
  }

  clone(): StateSlots {
    const copy = new StateSlots(this.#table.clone(), this.#keyHashes)
    copy.#words = this.#words.slice()
    copy.#originals = this.#originals.slice()
    copy.#generations = this.#generations.slice()
    copy.#originalIn = this.#originalIn.slice()
    copy.#flags = this.#flags.slice()
    copy.#hashes = this.#hashes.slice()
    return copy
  }
}

function grown(from: Uint8Array, length: number): Uint8Array {
  const to = smallBytes(length)
  to.set(from)
  return to
}

function wordAt(words: Uint8Array, at: number): Uint8Array {
  const end = at + WORD_BYTES
  for (let i = at; i < end; i++) if (words[i] !== 0) return words.slice(at, end)
  return ZERO_WORD
}
