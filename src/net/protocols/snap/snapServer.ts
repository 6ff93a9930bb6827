/**
 * Answers requests from snap/1 peers. The answer is empty if the state is unknown or too old.
 * @see devp2p caps/snap.md
 * @module
 */
import { MAX_SNAP_ANSWER_BYTES, MAX_SNAP_ENTRIES, MAX_SNAP_LOOKUPS } from '../../../base/limits/limits.ts'
import { EMPTY_BYTES, equalBytes } from '../../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../base/primitives/keccak.ts'
import type { Answer } from '../answer.ts'
import type { ServedStates } from '../servedStates.ts'
import { encodeSnapMessage } from './codec.ts'
import type {
  AccountRange,
  ByteCodes,
  GetAccountRange,
  GetByteCodes,
  GetStorageRanges,
  GetTrieNodes,
  SnapEntry,
  SnapRequest,
  StorageRanges,
  TrieNodes,
} from './messages.ts'
import { collectRange, proveRange } from './ranges.ts'
import { slimAccount } from './slimAccount.ts'

const HASH_BYTES = 32
const FIRST_KEY = new Uint8Array(HASH_BYTES)
const LAST_KEY = new Uint8Array(HASH_BYTES).fill(0xff)

export interface SnapServerDeps {
  readonly states: ServedStates
  /** Bytes after which every answer ends. */
  readonly maxBytes?: number
  /** Look-ups of accounts, code and nodes for one request. */
  readonly maxLookups?: number
  /** Accounts or slots of one answer: each is a read, and an answer is made in one piece. */
  readonly maxEntries?: number
}

export class SnapServer {
  readonly #states: ServedStates
  readonly #maxBytes: number
  readonly #maxLookups: number
  readonly #maxEntries: number

  constructor({
    states,
    maxBytes = MAX_SNAP_ANSWER_BYTES,
    maxLookups = MAX_SNAP_LOOKUPS,
    maxEntries = MAX_SNAP_ENTRIES,
  }: SnapServerDeps) {
    this.#states = states
    this.#maxBytes = maxBytes
    this.#maxLookups = maxLookups
    this.#maxEntries = maxEntries
  }

  /**
   * @throws {StoreMiss} over a store that is not resident: the call can be repeated
   * @throws {NodeError} MISSING_TRIE_NODE when the database is damaged
   */
  answer(request: SnapRequest): Answer {
    switch (request.kind) {
      case 'getAccountRange': {
        const range = this.#accountRange(request)
        return { ...encodeSnapMessage(range), items: range.accounts.length }
      }
      case 'getStorageRanges': {
        const ranges = this.#storageRanges(request)
        return { ...encodeSnapMessage(ranges), items: ranges.slots.length }
      }
      case 'getByteCodes': {
        const codes = this.#byteCodes(request)
        return { ...encodeSnapMessage(codes), items: codes.codes.length }
      }
      case 'getTrieNodes': {
        const nodes = this.#trieNodes(request)
        return { ...encodeSnapMessage(nodes), items: nodes.nodes.length }
      }
    }
  }

  #bytes({ maxBytes }: SnapRequest): number {
    return maxBytes < BigInt(this.#maxBytes) ? Number(maxBytes) : this.#maxBytes
  }

  #accountRange(request: GetAccountRange): AccountRange {
    const { requestId, root, start, limit } = request
    const accounts = this.#states.at(root)?.accounts
    if (accounts === undefined) return { kind: 'accountRange', requestId, accounts: [], proof: [] }
    const bounds = { start, limit, maxBytes: this.#bytes(request), maxEntries: this.#maxEntries }
    const { entries } = collectRange(accounts, bounds, slimAccount)
    // geth's tests require a proof even for a range that holds all accounts.
    return { kind: 'accountRange', requestId, accounts: entries, proof: proveRange(accounts, start, entries) }
  }

  /** Whole storages, account by account; the last may be incomplete, and then has a proof. */
  #storageRanges(request: GetStorageRanges): StorageRanges {
    const { requestId, root, accounts } = request
    const empty: StorageRanges = { kind: 'storageRanges', requestId, slots: [], proof: [] }
    const state = this.#states.at(root)
    if (state === undefined) return empty
    const slots: SnapEntry[][] = []
    let remainingBytes = this.#bytes(request)
    let remainingEntries = this.#maxEntries
    for (const [i, account] of accounts.slice(0, this.#maxLookups).entries()) {
      if ((remainingBytes <= 0 || remainingEntries <= 0) && i > 0) break
      const storage = state.slots(account)
      // The answers for the accounts before it remain usable.
      if (storage === undefined) break
      if (storage.isEmpty) {
        slots.push([])
        continue
      }
      const start = i === 0 ? (request.start ?? FIRST_KEY) : FIRST_KEY
      const bounds = { start, limit: request.limit ?? LAST_KEY, maxBytes: remainingBytes, maxEntries: remainingEntries }
      const range = collectRange(storage, bounds, (value) => value)
      slots.push(range.entries)
      remainingBytes -= range.bytes
      remainingEntries -= range.entries.length
      if (!range.isWhole) return { ...empty, slots, proof: proveRange(storage, start, range.entries) }
    }
    return { ...empty, slots }
  }

  #byteCodes(request: GetByteCodes): ByteCodes {
    const codes: Uint8Array[] = []
    let remainingBytes = this.#bytes(request)
    for (const hash of request.hashes.slice(0, this.#maxLookups)) {
      const code = equalBytes(hash, EMPTY_CODE_HASH) ? EMPTY_BYTES : this.#states.code(hash)
      if (code === undefined) continue
      codes.push(code)
      remainingBytes -= code.length
      if (remainingBytes < 0) break
    }
    return { kind: 'byteCodes', requestId: request.requestId, codes }
  }

  #trieNodes(request: GetTrieNodes): TrieNodes {
    const nodes: Uint8Array[] = []
    const { requestId } = request
    const state = this.#states.at(request.root)
    if (state === undefined) return { kind: 'trieNodes', requestId, nodes }
    let remainingBytes = this.#bytes(request)
    let lookups = this.#maxLookups
    for (const [path, ...slotPaths] of request.paths) {
      const isStorage = slotPaths.length > 0
      const slots = isStorage && path?.length === HASH_BYTES ? state.slots(path) : undefined
      const stored = isStorage ? slots : state.accounts
      lookups--
      for (const nodePath of isStorage ? slotPaths : [path as Uint8Array]) {
        if (remainingBytes < 0 || lookups-- < 0) return { kind: 'trieNodes', requestId, nodes }
        if (stored === undefined || stored.isEmpty) break
        const node = stored.node(nodePath) ?? EMPTY_BYTES
        nodes.push(node)
        remainingBytes -= node.length
      }
    }
    return { kind: 'trieNodes', requestId, nodes }
  }
}
