/**
 * State of a remote at the fork block and at blocks below it.
 * @module
 */
import { FORK_CODE_BYTES, FORK_STATE_BYTES } from '../base/limits/limits.ts'
import type { MissCause, MissRequest, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { StoreMiss } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { BaseAccount, BaseState } from '../state/baseState.ts'
import { keyToText } from '../storage/keyText.ts'
import { memoryExceeded } from './errors.ts'
import type { KnownCode, ReadAhead } from './readAhead.ts'
import { type FetchedAccount, fetchState, type StateFetchDeps } from './stateFetch.ts'

type StateRequest = Extract<MissRequest, { readonly kind: 'state' }>

export interface RemoteStateDeps extends StateFetchDeps {
  /** undefined: only what is needed is fetched. */
  readonly readAhead?: ReadAhead
}

/** Marks an account that does not exist. */
const ABSENT = Symbol('absent')
/** Estimated memory of an entry. */
const ENTRY_BYTES = 320

/** Reads of several executions, which are fetched together. */
interface Batch {
  readonly blocks: Map<string, { readonly block: RemoteBlock; readonly reads: StateRead[] }>
  readonly done: Promise<void>
}

export class RemoteState implements BaseState {
  readonly forkBlock: RemoteBlock
  readonly #deps: RemoteStateDeps
  /** Accounts by block and address. */
  readonly #accounts = new LruCache<string, BaseAccount | typeof ABSENT>(FORK_STATE_BYTES / 4)
  /** Values by block, address and slot. */
  readonly #slots = new LruCache<string, Uint8Array>((FORK_STATE_BYTES * 3) / 4)
  /** By code hash. */
  readonly #codes = new LruCache<string, Uint8Array>(FORK_CODE_BYTES)
  /** Reads in progress, so that equal ones share an answer. */
  readonly #flights = new Map<string, Promise<void>>()
  #batch: Batch | undefined

  constructor(deps: RemoteStateDeps, forkBlock: RemoteBlock) {
    this.#deps = deps
    this.forkBlock = forkBlock
  }

  /** @throws {StoreMiss} */
  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined {
    const account = this.#accounts.get(this.#prefix(block) + keyToText(address))
    if (account === undefined) throw miss(block, { address })
    return account === ABSENT ? undefined : account
  }

  /** @throws {StoreMiss} */
  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.#prefix(block) + keyToText(address)
    const value = this.#slots.get(account + keyToText(slot))
    if (value !== undefined) return value
    if (hasNoStorage(this.#accounts.get(account))) return ZERO_WORD
    throw miss(block, { address, slot })
  }

  /** @throws {StoreMiss} */
  code(block: RemoteBlock, address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    const code = this.#codes.get(keyToText(codeHash))
    if (code === undefined) throw miss(block, { address })
    return code
  }

  /** @throws {NodeError} RESIDENT_MEMORY_EXCEEDED, and those of the remote */
  async load({ block, reads }: StateRequest, cause?: MissCause): Promise<void> {
    const prefix = this.#prefix(block)
    const codeOf = (address: Uint8Array) => this.#knownCode(prefix, address)
    const ahead = (await this.#deps.readAhead?.readsOf(block, reads, cause, codeOf)) ?? []
    await this.#loadAll(prefix, block, [...reads, ...ahead])
    if (!reads.every((read) => this.#has(prefix, read))) throw memoryExceeded()
  }

  #knownCode(prefix: string, address: Uint8Array): KnownCode | undefined {
    const account = this.#accounts.get(prefix + keyToText(address))
    if (account === undefined || account === ABSENT) return undefined
    const { codeHash } = account
    const code = this.#codes.get(keyToText(codeHash))
    return code && { codeHash, code }
  }

  async #loadAll(prefix: string, block: RemoteBlock, reads: readonly StateRead[]): Promise<void> {
    const waits = new Set<Promise<void>>()
    for (const read of reads) {
      const name = readName(prefix, read)
      let flight = this.#flights.get(name)
      if (flight === undefined && !this.#has(prefix, read)) {
        flight = this.#join(prefix, block, read).finally(() => this.#flights.delete(name))
        this.#flights.set(name, flight)
      }
      if (flight !== undefined) waits.add(flight)
    }
    await Promise.all(waits)
  }

  #has(prefix: string, { address, slot }: StateRead): boolean {
    const name = prefix + keyToText(address)
    const account = this.#accounts.get(name)
    if (slot !== undefined) return this.#slots.get(name + keyToText(slot)) !== undefined || hasNoStorage(account)
    if (account === undefined || account === ABSENT) return account !== undefined
    return equalBytes(account.codeHash, EMPTY_CODE_HASH) || this.#codes.get(keyToText(account.codeHash)) !== undefined
  }

  /** Waits for the batch that has not begun yet. */
  #join(prefix: string, block: RemoteBlock, read: StateRead): Promise<void> {
    this.#batch ??= this.#newBatch()
    const { blocks, done } = this.#batch
    const group = blocks.get(prefix)
    if (group === undefined) blocks.set(prefix, { block, reads: [read] })
    else group.reads.push(read)
    return done
  }

  /** Begins after the executions of this turn have said what they need. */
  #newBatch(): Batch {
    const blocks: Batch['blocks'] = new Map()
    const done = Promise.resolve().then(async () => {
      this.#batch = undefined
      await Promise.all(Array.from(blocks, ([prefix, { block, reads }]) => this.#fetch(prefix, block, reads)))
    })
    return { blocks, done }
  }

  async #fetch(prefix: string, block: RemoteBlock, reads: readonly StateRead[]): Promise<void> {
    for (const account of await fetchState(this.#deps, block, reads)) this.#keep(prefix, account)
  }

  #keep(prefix: string, { address, account, code, slots }: FetchedAccount): void {
    const name = prefix + keyToText(address)
    if (account !== undefined) this.#accounts.set(name, account.value ?? ABSENT, ENTRY_BYTES)
    if (code !== undefined && code.length > 0) {
      this.#codes.set(keyToText(account?.value?.codeHash ?? keccak256(code)), code, code.length + ENTRY_BYTES)
    }
    for (const [slot, { value }] of slots) {
      if (value !== undefined) this.#slots.set(name + slot, value, ENTRY_BYTES)
    }
  }

  /** Almost all reads are of the fork block. */
  #prefix(block: RemoteBlock): string {
    return block === this.forkBlock || equalBytes(block.hash, this.forkBlock.hash) ? '' : keyToText(block.hash)
  }
}

function miss(block: RemoteBlock, read: StateRead): StoreMiss {
  return new StoreMiss({ kind: 'state', block, reads: [read] })
}

function readName(prefix: string, { address, slot }: StateRead): string {
  const account = `${prefix}/${keyToText(address)}`
  return slot === undefined ? account : `${account}/${keyToText(slot)}`
}

/** Whether each slot of the account is known to be zero. */
function hasNoStorage(account: BaseAccount | typeof ABSENT | undefined): boolean {
  if (account === undefined) return false
  if (account === ABSENT) return true
  return account.storageRoot !== undefined && equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
}
