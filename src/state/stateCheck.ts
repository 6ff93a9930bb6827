/**
 * Checks a whole state against the hashes that name its nodes, and the flat view against the state.
 * @module
 */
import type { Entry, KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHex, compareBytes, EMPTY_BYTES, equalBytes, readUint } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { keyToText } from '../storage/keyText.ts'
import { Column, type ColumnName, keys } from '../storage/schema.ts'
import { type Child, EXTENSION, LEAF, type Leaf, type Node, REF, Ref } from '../trie/node.ts'
import { decodeNode } from '../trie/nodeCodec.ts'
import { NodeHasher } from '../trie/nodeHasher.ts'
import { packNibblePath } from '../trie/nodePath.ts'
import { accountOfLeaf, DELETED_ACCOUNT, encodeFlatAccount, flatSlotOf, storageRef } from './account.ts'
import type { StateRoot } from './contract.ts'
import { erasedPrefixes } from './erasedStorage.ts'

/** Nodes that are read between two reports of the progress: some milliseconds. */
const STEP_NODES = 256
const HASHES = 2 ** 32
const NO_OWNER = new Uint8Array(32)

/** Receives what is wrong with the value of a key. */
export type ReportProblem = (column: ColumnName, key: Uint8Array, problem: string) => void

export interface StateTotals {
  readonly nodes: number
  readonly accounts: number
  readonly slots: number
}

export interface StateCheckOptions {
  /** Whether the flat view has to be the one of this state. */
  readonly hasFlatView: boolean
  /** Whether the state is over a base (state/baseState.ts), whose code is not stored. */
  readonly isOverBase: boolean
}

/**
 * Continues after a problem. Holds one path in memory.
 * @returns yields the completed part of the whole, 0 to 1
 */
export function* checkState(
  reader: KeyValueReader,
  root: StateRoot,
  options: StateCheckOptions,
  report: ReportProblem,
): Generator<number, StateTotals> {
  const check = new StateCheck(reader, options, report)
  if (!equalBytes(root.hash, EMPTY_TRIE_ROOT)) check.begin(new Ref(root.hash, 0, root.version))
  while (check.step()) if (check.nodes % STEP_NODES === 0) yield check.progress
  return check
}

/** A node to check, with its place in a trie. */
interface Place {
  readonly child: Child
  /** Empty for the account trie, keccak256(address) for a storage trie. */
  readonly owner: Uint8Array
  /** Of the storage. */
  readonly incarnation: number
  /** Nibbles above the node. */
  readonly path: readonly number[]
}

class StateCheck implements StateTotals {
  nodes = 0
  accounts = 0
  slots = 0
  /** 0 to 1: hashes of accounts are spread evenly. */
  progress = 0
  readonly #reader: KeyValueReader
  readonly #isOverBase: boolean
  readonly #report: ReportProblem
  readonly #hasher = new NodeHasher()
  /** The next one is last, so that leaves come in the order of their keys. */
  readonly #places: Place[] = []
  readonly #flat: { readonly accounts: FlatEntries; readonly slots: SlotEntries } | undefined

  constructor(reader: KeyValueReader, { hasFlatView, isOverBase }: StateCheckOptions, report: ReportProblem) {
    this.#reader = reader
    this.#isOverBase = isOverBase
    this.#report = report
    if (!hasFlatView) return
    this.#flat = {
      accounts: new FlatEntries(reader, 'flatAccount', report),
      slots: new SlotEntries(reader, report),
    }
  }

  begin(root: Ref): void {
    this.#places.push({ child: root, owner: EMPTY_BYTES, incarnation: 0, path: [] })
  }

  /** Checks one node. @returns false after the last one */
  step(): boolean {
    const place = this.#places.pop()
    if (place === undefined) {
      this.#flat?.accounts.end()
      this.#flat?.slots.end()
      return false
    }
    this.nodes++
    if (place.child.kind === REF) this.#stored(place, place.child)
    else this.#visit(place, place.child)
    return true
  }

  #stored(place: Place, ref: Ref): void {
    const path = Uint8Array.from(place.path)
    const key = keys.trieNode(ref.version, place.owner, packNibblePath(path, path.length))
    const problem = this.#check(place, ref, this.#reader.get(key))
    if (problem === undefined) return
    this.#report('trieNode', key, problem)
    // The leaves below this node are unknown, and so is what the flat view must have.
    this.#flat?.accounts.tolerateMore()
    this.#flat?.slots.tolerateMore()
  }

  #check(place: Place, ref: Ref, bytes: Uint8Array | undefined): string | undefined {
    if (bytes === undefined) return 'the node is missing'
    try {
      const node = decodeNode(bytes)
      const hash = keccak256(this.#hasher.rlp(node, place.path.length))
      if (!equalBytes(hash, ref.hash())) {
        return `the hash of the node is ${bytesToHex(hash)}; its parent names ${bytesToHex(ref.hash())}`
      }
      this.#visit(place, node)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  #visit(place: Place, node: Node): void {
    const { owner, incarnation, path } = place
    if (node.kind === LEAF) {
      if (owner.length === 0) this.#account(node)
      else this.#slot(place, node)
      return
    }
    if (node.kind === EXTENSION) {
      this.#places.push({ child: node.child, owner, incarnation, path: [...path, ...node.path] })
      return
    }
    for (let i = 15; i >= 0; i--) {
      const child = node.children[i]
      if (child !== undefined) this.#places.push({ child, owner, incarnation, path: [...path, i] })
    }
  }

  #account(leaf: Leaf): void {
    this.progress = readUint(leaf.key, 0, 4) / HASHES
    const account = accountOfLeaf(leaf)
    if (account !== DELETED_ACCOUNT) this.accounts++
    const codeKey = keys.code(account.codeHash)
    const hasStoredCode = !this.#isOverBase && !equalBytes(account.codeHash, EMPTY_CODE_HASH)
    if (hasStoredCode && this.#reader.get(codeKey) === undefined) {
      this.#report('code', codeKey, `the code of account ${bytesToHex(leaf.key)} is missing`)
    }
    this.#flat?.accounts.expect(keys.flatAccount(leaf.key), encodeFlatAccount(account))
    const storage = storageRef(leaf)
    if (storage === undefined) return
    this.#places.push({ child: storage, owner: leaf.key, incarnation: account.incarnation, path: [] })
  }

  #slot({ owner, incarnation }: Place, { key, value }: Leaf): void {
    this.slots++
    this.#flat?.slots.expect(keys.flatStorage(owner, incarnation, key), flatSlotOf(value))
  }
}

/** The slots of the flat view, which are in two columns. Those of erased storages are left there for a while. */
class SlotEntries {
  readonly #columns: ReadonlyMap<number, FlatEntries>

  constructor(reader: KeyValueReader, report: ReportProblem) {
    const erased = erasedPrefixes(reader)
    const isErased = (key: Uint8Array, prefixBytes: number): boolean =>
      erased.has(keyToText(key.subarray(0, prefixBytes)))
    this.#columns = new Map(
      (['flatStorage', 'flatIncarnation'] as const).map((column) => {
        const prefixBytes = keys.flatStorageOf(NO_OWNER, column === 'flatStorage' ? 0 : 1).length
        return [Column[column], new FlatEntries(reader, column, report, (key) => isErased(key, prefixBytes))]
      }),
    )
  }

  tolerateMore(): void {
    for (const entries of this.#columns.values()) entries.tolerateMore()
  }

  expect(key: Uint8Array, value: Uint8Array): void {
    this.#columns.get(key[0] as number)?.expect(key, value)
  }

  end(): void {
    for (const entries of this.#columns.values()) entries.end()
  }
}

/** The entries of a column of the flat view, compared in order with those that the state has. */
class FlatEntries {
  readonly #column: ColumnName
  readonly #entries: Iterator<Entry>
  readonly #report: ReportProblem
  #next: Entry | undefined
  readonly #mayRemain: (key: Uint8Array) => boolean
  #isMoreTolerated = false

  /** @param mayRemain whether an entry that the state does not have is correct */
  constructor(
    reader: KeyValueReader,
    column: 'flatAccount' | 'flatStorage' | 'flatIncarnation',
    report: ReportProblem,
    mayRemain: (key: Uint8Array) => boolean = () => false,
  ) {
    this.#column = column
    this.#entries = reader.range({ prefix: Uint8Array.of(Column[column]) })[Symbol.iterator]()
    this.#report = report
    this.#mayRemain = mayRemain
    this.#advance()
  }

  /** From here on, entries that the state does not have are not reported. */
  tolerateMore(): void {
    this.#isMoreTolerated = true
  }

  expect(key: Uint8Array, value: Uint8Array): void {
    this.#skipTo(key)
    const found = this.#next
    if (found === undefined || !equalBytes(found[0], key)) {
      this.#report(this.#column, key, 'the entry is missing')
      return
    }
    if (!equalBytes(found[1], value)) {
      this.#report(this.#column, key, `the entry is ${bytesToHex(found[1])}; the state has ${bytesToHex(value)}`)
    }
    this.#advance()
  }

  end(): void {
    this.#skipTo(undefined)
  }

  #skipTo(key: Uint8Array | undefined): void {
    while (this.#next !== undefined && (key === undefined || compareBytes(this.#next[0], key) < 0)) {
      const [extra] = this.#next
      if (!this.#isMoreTolerated && !this.#mayRemain(extra)) {
        this.#report(this.#column, extra, 'the state has no such entry')
      }
      this.#advance()
    }
  }

  #advance(): void {
    const { value, done } = this.#entries.next()
    this.#next = done === true ? undefined : value
  }
}
