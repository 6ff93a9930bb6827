import { type RemoteBlock, StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { BaseAccount, BaseState } from '../../../src/state/baseState.ts'
import type { Random } from '../../support/host/random.ts'
import { type NaiveAccounts, naiveStorageRoot, ZERO } from './naiveState.ts'
import { ADDRESSES, SLOTS } from './randomState.ts'

export interface BaseQuery {
  readonly kind: 'account' | 'slot' | 'code'
  readonly address: string
  readonly slot?: string
}

export interface BaseOptions {
  /** Whether each first read misses. */
  readonly misses?: boolean
  /** Whether the remote proves its accounts. */
  readonly proves?: boolean
}

export function remoteBlock(number: number): RemoteBlock {
  const hash = keccak256(Uint8Array.of(number))
  return { number, hash, stateRoot: keccak256(hash) }
}

/** States of another chain as plain maps. */
export class BaseOfMaps implements BaseState {
  readonly forkBlock: RemoteBlock
  /** Everything that was asked. */
  queries: BaseQuery[] = []
  readonly #states: ReadonlyMap<string, NaiveAccounts>
  readonly #options: BaseOptions
  readonly #resident = new Set<string>()

  /** @param states the first is that of the fork block */
  constructor(states: readonly (readonly [RemoteBlock, NaiveAccounts])[], options: BaseOptions = {}) {
    const [[forkBlock] = [remoteBlock(0)]] = states
    this.forkBlock = forkBlock
    this.#states = new Map(states.map(([block, accounts]) => [bytesToHex(block.hash), accounts]))
    this.#options = options
  }

  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined {
    const account = this.#read(block, 'account', address)
    if (account === undefined) return undefined
    const { nonce, balance, code, storage } = account
    const storageRoot = this.#options.proves === false ? undefined : naiveStorageRoot(storage)
    return { nonce, balance, codeHash: keccak256(code), storageRoot }
  }

  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const name = bytesToHex(slot)
    return hexToBytes(this.#read(block, 'slot', address, name)?.storage.get(name) ?? ZERO)
  }

  code(block: RemoteBlock, address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    const code = this.#read(block, 'code', address)?.code
    if (code === undefined || bytesToHex(keccak256(code)) !== bytesToHex(codeHash)) throw new Error('no such code')
    return code
  }

  /** Forgets what was read, like a cache that is full. */
  evict(): void {
    this.#resident.clear()
  }

  #read(block: RemoteBlock, kind: BaseQuery['kind'], bytes: Uint8Array, slot?: string) {
    const address = bytesToHex(bytes)
    this.queries.push({ kind, address, ...(slot === undefined ? {} : { slot }) })
    const name = `${bytesToHex(block.hash)} ${kind} ${address} ${slot}`
    if (this.#options.misses === true && !this.#resident.has(name)) {
      this.#resident.add(name)
      const read = { address: bytes, ...(slot === undefined ? {} : { slot: hexToBytes(slot) }) }
      throw new StoreMiss({ kind: 'state', block, reads: [read] })
    }
    const state = this.#states.get(bytesToHex(block.hash))
    if (state === undefined) throw new Error(`no state of block ${block.number}`)
    return state.get(address)
  }
}

/** Some of the addresses of randomState.ts, with some of its slots. */
export function randomBase(random: Random): NaiveAccounts {
  const accounts: NaiveAccounts = new Map()
  for (const address of ADDRESSES) {
    if (random.chance(25)) continue
    const storage = new Map<string, string>()
    for (const slot of SLOTS) if (random.chance(50)) storage.set(slot, bytesToHex(random.bytes(32)))
    if (random.chance(30)) storage.clear()
    accounts.set(address, {
      nonce: BigInt(random.below(3)),
      balance: random.pick([0n, 7n, 10n ** 20n]),
      code: random.bytes(random.pick([0, 0, 5, 50])),
      storage,
    })
  }
  return accounts
}
