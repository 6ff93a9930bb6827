/**
 * Slots that a contract will probably read, for remotes that do not run calls for others: those that its code names, and those
 * that the same code has read before.
 * @module
 */
import { MAX_FORK_REMEMBERED_SLOTS } from '../base/limits/limits.ts'
import type { StateRead } from '../base/ports/keyValueStore.ts'
import { padLeft } from '../base/primitives/bytes.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { rlpDecodeList, rlpEncode } from '../base/primitives/rlp.ts'
import { keyToText } from '../storage/keyText.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'

const SLOAD = 0x54
const PUSH0 = 0x5f
const PUSH32 = 0x7f
/** Opcodes between a constant and the SLOAD that uses it. */
const MAX_DISTANCE = 3
/** Contracts whose slots are in memory. */
const MAX_CODES = 256

/** A slot of a contract with known code. */
export interface KnownRead {
  readonly address: Uint8Array
  readonly slot: Uint8Array
  /** 32 bytes */
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
}

export class SlotHints {
  readonly #source: ForkSource
  /** By code hash, slots by their text. */
  readonly #slots = new LruCache<string, Map<string, Uint8Array>>(MAX_CODES)

  constructor(source: ForkSource) {
    this.#source = source
  }

  /** @param reads that miss now @returns slots of the same contracts */
  async readsOf(reads: readonly KnownRead[]): Promise<StateRead[]> {
    const hints: StateRead[] = []
    for (const { address, slot, codeHash, code } of reads) {
      const known = await this.#slotsOf(codeHash, code)
      for (const other of known.values()) hints.push({ address, slot: other })
      this.#remember(codeHash, known, slot)
    }
    return hints
  }

  async #slotsOf(codeHash: Uint8Array, code: Uint8Array): Promise<Map<string, Uint8Array>> {
    const text = keyToText(codeHash)
    const known = this.#slots.get(text)
    if (known !== undefined) return known
    const [stored] = await this.#source.getMany([cacheKeys.plan(codeHash)])
    const slots = [...constantSlots(code), ...(stored === undefined ? [] : (rlpDecodeList(stored) as Uint8Array[]))]
    const map = new Map(slots.map((slot) => [keyToText(slot), slot]))
    this.#slots.set(text, map)
    return map
  }

  #remember(codeHash: Uint8Array, known: Map<string, Uint8Array>, slot: Uint8Array): void {
    const text = keyToText(slot)
    if (known.has(text) || known.size >= MAX_FORK_REMEMBERED_SLOTS) return
    known.set(text, slot)
    this.#source.put([[cacheKeys.plan(codeHash), rlpEncode([...known.values()])]])
  }
}

/** Constants that the code pushes shortly before an SLOAD. */
export function constantSlots(code: Uint8Array): Uint8Array[] {
  const slots = new Map<string, Uint8Array>()
  let constant: Uint8Array | undefined
  let distance = 0
  for (let at = 0; at < code.length && slots.size < MAX_FORK_REMEMBERED_SLOTS; at++) {
    const opcode = code[at] as number
    if (opcode >= PUSH0 && opcode <= PUSH32) {
      const length = opcode - PUSH0
      constant = padLeft(code.slice(at + 1, at + 1 + length), 32)
      distance = 0
      at += length
      continue
    }
    distance++
    if (opcode === SLOAD && constant !== undefined && distance <= MAX_DISTANCE) slots.set(keyToText(constant), constant)
    if (opcode === SLOAD) constant = undefined
  }
  return [...slots.values()]
}
