import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { ZERO_WORD } from './account.ts'
import { ByteTable } from './byteTable.ts'

const INITIAL_SLOTS = 8
const NO_NUMBERS = new Int32Array(0)
/** Generation of a slot without a value of its own: it is what the base has, or zero. */
export const NO_GENERATION = -1

const IS_DIRTY = 1
const HAS_BASE = 2

/** Storage slots of all accounts of a world state; words of 32 bytes in flat arrays, by slot id. */
export class StateSlots {
  readonly #table: ByteTable
  /** Current values; valid while `generations` is the generation of the account. */
  #values = EMPTY_BYTES
  /** Values at the root that the world state began with; valid with HAS_BASE. */
  #bases = EMPTY_BYTES
  /** Values at the start of the transaction `#originalIn`; both stay empty until something is written. */
  #originals = EMPTY_BYTES
  #generations = NO_NUMBERS
  #originalIn = NO_NUMBERS
  #flags = EMPTY_BYTES
  #hashes: (Uint8Array | undefined)[] = []

  constructor(table: ByteTable) {
    this.#table = table
  }

  static create(seed: number): StateSlots {
    return new StateSlots(new ByteTable(32, seed))
  }

  /** @returns the slot's id; -1 when it is not known */
  find(account: number, slot: Uint8Array): number {
    return this.#table.find(account, slot)
  }

  /** A slot that is not known yet. */
  add(account: number, slot: Uint8Array): number {
    const id = this.#table.add(account, slot)
    if (id >= this.#flags.length) this.#grow()
    this.#generations[id] = NO_GENERATION
    return id
  }

  /** 32 bytes, a copy. */
  slotOf(id: number): Uint8Array {
    return this.#table.keyOf(id)
  }

  /** Id of the account that the slot belongs to. */
  accountOf(id: number): number {
    return this.#table.scopeOf(id)
  }

  /** keccak256 of the slot. */
  hashOf(id: number): Uint8Array {
    const known = this.#hashes[id]
    if (known !== undefined) return known
    const hash = keccak256(this.slotOf(id))
    this.#hashes[id] = hash
    return hash
  }

  generationOf(id: number): number {
    return this.#generations[id] as number
  }

  value(id: number): Uint8Array {
    return wordAt(this.#values, id)
  }

  base(id: number): Uint8Array {
    return wordAt(this.#bases, id)
  }

  hasBase(id: number): boolean {
    return ((this.#flags[id] as number) & HAS_BASE) !== 0
  }

  setBase(id: number, value: Uint8Array): void {
    this.#bases.set(value, id * 32)
    this.#flags[id] = (this.#flags[id] as number) | HAS_BASE
  }

  setValue(id: number, value: Uint8Array, generation: number): void {
    this.#values.set(value, id * 32)
    this.#generations[id] = generation
  }

  /** Copies the current value, whatever its generation, to `target`. */
  saveValue(id: number, target: Uint8Array, offset: number): void {
    for (let i = 0, at = id * 32; i < 32; i++) target[offset + i] = this.#values[at + i] as number
  }

  hasValue(id: number, value: Uint8Array): boolean {
    for (let i = 31, at = id * 32; i >= 0; i--) if (this.#values[at + i] !== value[i]) return false
    return true
  }

  /** The value at the start of `transaction`; undefined when the slot was not written in it. */
  original(id: number, transaction: number): Uint8Array | undefined {
    return this.#originalIn[id] === transaction ? wordAt(this.#originals, id) : undefined
  }

  setOriginal(id: number, transaction: number, value: Uint8Array): void {
    const slots = this.#flags.length
    if (this.#originalIn.length < slots) {
      this.#originals = grown(this.#originals, new Uint8Array(slots * 32))
      this.#originalIn = grown(this.#originalIn, new Int32Array(slots))
    }
    this.#originals.set(value, id * 32)
    this.#originalIn[id] = transaction
  }

  /** @returns false when it was marked already */
  markDirty(id: number): boolean {
    const flags = this.#flags[id] as number
    this.#flags[id] = flags | IS_DIRTY
    return (flags & IS_DIRTY) === 0
  }

  clearDirty(id: number): void {
    this.#flags[id] = (this.#flags[id] as number) & ~IS_DIRTY
  }

  clone(): StateSlots {
    const copy = new StateSlots(this.#table.clone())
    copy.#values = this.#values.slice()
    copy.#bases = this.#bases.slice()
    copy.#originals = this.#originals.slice()
    copy.#generations = this.#generations.slice()
    copy.#originalIn = this.#originalIn.slice()
    copy.#flags = this.#flags.slice()
    copy.#hashes = this.#hashes.slice()
    return copy
  }

  #grow(): void {
    const capacity = Math.max(this.#flags.length * 2, INITIAL_SLOTS)
    this.#values = grown(this.#values, new Uint8Array(capacity * 32))
    this.#bases = grown(this.#bases, new Uint8Array(capacity * 32))
    this.#generations = grown(this.#generations, new Int32Array(capacity))
    this.#flags = grown(this.#flags, new Uint8Array(capacity))
  }
}

function grown<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function wordAt(words: Uint8Array, id: number): Uint8Array {
  const at = id * 32
  for (let i = at; i < at + 32; i++) if (words[i] !== 0) return words.slice(at, at + 32)
  return ZERO_WORD
}
