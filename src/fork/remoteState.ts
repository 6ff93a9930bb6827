/**
 * State of a remote at the fork block and at blocks below it.
 * @module
 */
import type { MissCause, MissRequest, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { StoreMiss } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import type { BaseAccount, BaseState } from '../state/baseState.ts'
import { keyToText } from '../storage/keyText.ts'
import { memoryExceeded } from './errors.ts'
import type { KnownCode, KnownState, ReadAhead } from './readAhead.ts'
import { fetchState, isStored, type StateFetchDeps } from './stateFetch.ts'
import { StateMemory } from './stateMemory.ts'
import type { NewestBlock } from './systemReads.ts'

type StateRequest = Extract<MissRequest, { readonly kind: 'state' }>

export interface RemoteStateDeps extends StateFetchDeps {
  /** undefined: only what is needed is fetched. */
  readonly readAhead?: ReadAhead
}

/** Reads of several executions, which are fetched together. */
interface Batch {
  readonly blocks: Map<string, { readonly block: RemoteBlock; readonly reads: StateRead[] }>
  readonly done: Promise<void>
}

export class RemoteState implements BaseState {
  readonly forkBlock: RemoteBlock
  readonly #deps: RemoteStateDeps
  readonly #memory: StateMemory
  /** Reads in progress, so that equal ones share an answer. */
  readonly #flights = new Map<string, Promise<void>>()
  #batch: Batch | undefined

  constructor(deps: RemoteStateDeps, forkBlock: RemoteBlock) {
    this.#deps = deps
    this.forkBlock = forkBlock
    this.#memory = new StateMemory(forkBlock)
  }

  /** @throws {StoreMiss} */
  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined {
    const account = this.#memory.account(this.#memory.prefix(block), address)
    if (account === undefined) throw miss(block, { address })
    return account.value
  }

  /** @throws {StoreMiss} */
  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const value = this.#memory.slot(this.#memory.prefix(block), address, slot)
    if (value === undefined) throw miss(block, { address, slot })
    return value
  }

  /** @throws {StoreMiss} */
  code(block: RemoteBlock, address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    const code = this.#memory.code(codeHash)
    if (code === undefined) throw miss(block, { address })
    return code
  }

  /** @throws {NodeError} RESIDENT_MEMORY_EXCEEDED, and those of the remote */
  async load({ block, reads }: StateRequest, cause?: MissCause): Promise<void> {
    const prefix = this.#memory.prefix(block)
    const known: KnownState = {
      codeOf: (address) => this.#knownCode(prefix, address),
      isStored: () => isStored(this.#deps, block, reads),
    }
    const ahead = (await this.#deps.readAhead?.readsOf(block, reads, cause, known)) ?? []
    const isLoaded = ahead.length > 0 && (await this.#tryAll(prefix, block, [...reads, ...ahead]))
    if (!isLoaded) await this.#loadAll(prefix, block, reads)
    if (!reads.every((read) => this.#memory.has(prefix, read))) throw memoryExceeded()
  }

  /** Fetches what the next blocks will need, so that they need not wait. Never rejects: the block that lacks it asks again. */
  async prepare(newest: NewestBlock): Promise<void> {
    const reads = this.#deps.readAhead?.readsAfter(newest) ?? []
    if (reads.length === 0) return
    await this.#tryAll(this.#memory.prefix(this.forkBlock), this.forkBlock, reads).catch(() => {})
  }

  #knownCode(prefix: string, address: Uint8Array): KnownCode | undefined {
    const codeHash = this.#memory.account(prefix, address)?.value?.codeHash
    const code = codeHash && this.#memory.code(codeHash)
    return code && { codeHash, code }
  }

  /** A read that nobody may need must not fail. @returns whether everything was loaded */
  async #tryAll(prefix: string, block: RemoteBlock, reads: readonly StateRead[]): Promise<boolean> {
    try {
      await this.#loadAll(prefix, block, reads)
      return true
    } catch (error) {
      this.#deps.readAhead?.forget()
      if (isNodeError(error) && error.code !== 'FORK_RATE_LIMITED') return false
      throw error
    }
  }

  async #loadAll(prefix: string, block: RemoteBlock, reads: readonly StateRead[]): Promise<void> {
    const waits = new Set<Promise<void>>()
    for (const read of reads) {
      const name = readName(prefix, read)
      let flight = this.#flights.get(name)
      if (flight === undefined && !this.#memory.has(prefix, read)) {
        flight = this.#join(prefix, block, read).finally(() => this.#flights.delete(name))
        this.#flights.set(name, flight)
      }
      if (flight !== undefined) waits.add(flight)
    }
    await Promise.all(waits)
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
    for (const account of await fetchState(this.#deps, block, reads)) this.#memory.keep(prefix, account)
  }
}

function miss(block: RemoteBlock, read: StateRead): StoreMiss {
  return new StoreMiss({ kind: 'state', block, reads: [read] })
}

function readName(prefix: string, { address, slot }: StateRead): string {
  const account = `${prefix}/${keyToText(address)}`
  return slot === undefined ? account : `${account}/${keyToText(slot)}`
}
