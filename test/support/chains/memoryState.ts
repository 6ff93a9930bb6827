/**
 * A state in plain maps, for tests of code that runs on a state. Copied as a whole at each checkpoint.
 * @module
 */

import { type MissRequest, type Residency, StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { Account } from '../../../src/evm/stateDb.ts'
import type { MutableState } from '../../../src/state/contract.ts'

interface Entry {
  readonly account: Account
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<string, Uint8Array>
}

interface Layer {
  readonly entries: Map<string, Entry>
  readonly touched: Set<string>
}

const EMPTY: Entry = {
  account: { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH },
  code: new Uint8Array(0),
  storage: new Map(),
}
const ZERO = new Uint8Array(32)

export class MemoryState implements MutableState {
  #layer: Layer = { entries: new Map(), touched: new Set() }
  #saved: Layer[] = []
  #original = new Map<string, Entry>()

  #get(address: Uint8Array): Entry | undefined {
    return this.#layer.entries.get(bytesToHexUnprefixed(address))
  }

  #put(address: Uint8Array, change: (entry: Entry) => Entry): void {
    const key = bytesToHexUnprefixed(address)
    this.#layer.entries.set(key, change(this.#layer.entries.get(key) ?? EMPTY))
    this.#layer.touched.add(key)
  }

  /** All accounts by address in hex. */
  entries(): ReadonlyMap<string, Entry> {
    return this.#layer.entries
  }

  getAccount(address: Uint8Array): Account | undefined {
    return this.#get(address)?.account
  }

  getCode(address: Uint8Array): Uint8Array {
    return this.#get(address)?.code ?? EMPTY.code
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#get(address)?.storage.get(bytesToHexUnprefixed(slot)) ?? ZERO
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#original.get(bytesToHexUnprefixed(address))?.storage.get(bytesToHexUnprefixed(slot)) ?? ZERO
  }

  hasStorage(address: Uint8Array): boolean {
    return (this.#get(address)?.storage.size ?? 0) > 0
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    this.#put(address, (entry) => ({ ...entry, account: { ...entry.account, balance } }))
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#put(address, (entry) => ({ ...entry, account: { ...entry.account, nonce } }))
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#put(address, (entry) => ({ ...entry, code, account: { ...entry.account, codeHash: keccak256(code) } }))
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#put(address, (entry) => {
      const storage = new Map(entry.storage)
      if (value.every((byte) => byte === 0)) storage.delete(bytesToHexUnprefixed(slot))
      else storage.set(bytesToHexUnprefixed(slot), value)
      return { ...entry, storage }
    })
  }

  clearStorage(address: Uint8Array): void {
    this.#put(address, (entry) => ({ ...entry, storage: new Map() }))
  }

  touch(address: Uint8Array): void {
    this.#layer.touched.add(bytesToHexUnprefixed(address))
  }

  createAccount(address: Uint8Array): void {
    this.#put(address, (entry) => entry)
  }

  deleteAccount(address: Uint8Array): void {
    this.#layer.entries.delete(bytesToHexUnprefixed(address))
  }

  checkpoint(): void {
    this.#saved.push({ entries: new Map(this.#layer.entries), touched: new Set(this.#layer.touched) })
  }

  endSection(): void {
    if (this.#saved.pop() === undefined) throw new Error('no checkpoint')
  }

  revert(): void {
    const saved = this.#saved.pop()
    if (saved === undefined) throw new Error('no checkpoint')
    this.#layer = saved
  }

  beginTransaction(): void {
    this.#original = new Map(this.#layer.entries)
    this.#layer.touched.clear()
  }

  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void {
    for (const address of options.selfDestructs) this.deleteAccount(address)
    if (!options.clearEmpty) return
    for (const key of this.#layer.touched) {
      const entry = this.#layer.entries.get(key)
      if (entry === undefined) continue
      const { nonce, balance } = entry.account
      if (nonce === 0n && balance === 0n && entry.code.length === 0) this.#layer.entries.delete(key)
    }
  }

  rootHash(): Uint8Array {
    throw new Error('a state in maps has no root')
  }

  fork(): MutableState {
    const copy = new MemoryState()
    copy.#layer = { entries: new Map(this.#layer.entries), touched: new Set(this.#layer.touched) }
    return copy
  }
}

type Reads = 'getAccount' | 'getCode' | 'getStorage' | 'getOriginalStorage' | 'hasStorage'

/** A state with initially empty memory: the first read of each item misses until its residency has loaded it. */
export function lossy(state: MutableState): { state: MutableState; residency: Residency; misses: () => number } {
  const loaded = new Set<string>()
  let misses = 0
  const guarded: readonly Reads[] = ['getAccount', 'getCode', 'getStorage', 'getOriginalStorage', 'hasStorage']
  const proxy = new Proxy(state, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: Uint8Array[]) => {
        if ((guarded as readonly string[]).includes(name as string)) {
          const key = `${name as string}/${args.map(bytesToHexUnprefixed).join('/')}`
          if (!loaded.has(key)) throw new StoreMiss({ kind: 'keys', keys: [new TextEncoder().encode(key)] })
        }
        return (member as (...rest: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  const residency: Residency = {
    async load(request: MissRequest) {
      misses++
      if (request.kind !== 'keys') throw new Error('unexpected range')
      for (const key of request.keys) loaded.add(new TextDecoder().decode(key))
    },
  }
  return { state: proxy, residency, misses: () => misses }
}
