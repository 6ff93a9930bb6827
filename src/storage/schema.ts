/**
 * Every database key, in one place. A key is a column byte and fixed-width, big-endian parts, so that ranges are in
 * protocol order. Version numbers and block numbers take 6 bytes.
 *
 * Trie nodes are keyed in the order in which they are written: at 5 million nodes of 100 bytes LMDB went on with 1000-key
 * commits at 138,000 keys a second against 11,000 keyed by hash. An owner of 8 bytes saves an eighth of the file and no
 * time, and can be made to collide (test/bench/storage.bench.mjs).
 * @module
 */
import { concatBytes, readUint, writeUint } from '../primitives/bytes.ts'

/** Written to a new data directory; a newer one is refused, an older one migrated (storage/migrations.ts). */
export const SCHEMA_VERSION = 1

export const Column = {
  /** name → value: format version, genesis hash, fork schedule, head, safe, finalized, migrations, derived columns */
  meta: 0x01,
  /** number ‖ hash → header RLP */
  header: 0x10,
  /** number ‖ hash → body RLP */
  body: 0x11,
  /** number ‖ hash → stored receipts */
  receipts: 0x12,
  /** number ‖ hash → sender and hash of each transaction, 20 + 32 bytes */
  senders: 0x13,
  /** number ‖ hash → block record: state root version, block size, total difficulty */
  blockRecord: 0x14,
  /** hash → number */
  numberByHash: 0x15,
  /** number → hash, canonical chain only */
  canonicalHash: 0x16,
  /** transaction hash → block number ‖ index, canonical chain only */
  transactionIndex: 0x17,
  /** number ‖ hash → where a block of the dev chain left the protocol (chain/devAmendment.ts); few blocks have one */
  devAmendment: 0x18,
  /** number ‖ hash → terms that the block is found by (chain/termIndex/blockTerms.ts) */
  blockTerms: 0x19,
  /** section, or section ‖ partition → terms of canonical blocks (chain/termIndex/section.ts); nothing → the next one */
  termSection: 0x1a,
  /** version ‖ owner ‖ path → trie node */
  trieNode: 0x20,
  /** code hash → code */
  code: 0x21,
  /** address → account at the head */
  flatAccount: 0x22,
  /** address ‖ slot → value at the head */
  flatStorage: 0x23,
  /** number ‖ hash → what the flat view held before the block */
  reverseDiff: 0x24,
  /** keccak256(address or slot) → address or slot */
  preimage: 0x25,
  /** name of a consensus engine ‖ 0 ‖ key, usually a block hash → what the engine derived (consensus/engine.ts) */
  engineRecord: 0x28,
  /** transaction hash → wall clock ms (6 bytes) ‖ 1 if impersonated, else 0 ‖ sender if impersonated ‖ pooled encoding */
  localTransaction: 0x30,
} as const

const NUMBER_BYTES = 6
const PARTITION_BYTES = 2

function key(column: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(column), ...parts)
}

function numbered(column: number, number: number, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + NUMBER_BYTES + rest.length)
  bytes[0] = column
  writeUint(bytes, 1, number, NUMBER_BYTES)
  bytes.set(rest, 1 + NUMBER_BYTES)
  return bytes
}

/** Number and hash of a key that consists of them. */
export function numberedKey(bytes: Uint8Array): { readonly number: number; readonly hash: Uint8Array } {
  return { number: readUint(bytes, 1, NUMBER_BYTES), hash: bytes.slice(1 + NUMBER_BYTES) }
}

const NOTHING = new Uint8Array(0)
const text = new TextEncoder()

export type MetaName =
  | 'schemaVersion'
  | 'genesisHash'
  | 'genesis'
  | 'head'
  | 'safe'
  | 'finalized'
  | 'stateVersion'
  | 'flatRoot'
  | `migration:${string}`
  | `derived:${string}`

/** Constructors of all keys. */
export const keys = {
  meta: (name: MetaName): Uint8Array => key(Column.meta, text.encode(name)),
  header: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.header, number, hash),
  body: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.body, number, hash),
  receipts: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.receipts, number, hash),
  senders: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.senders, number, hash),
  blockRecord: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.blockRecord, number, hash),
  numberByHash: (hash: Uint8Array): Uint8Array => key(Column.numberByHash, hash),
  devAmendment: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.devAmendment, number, hash),
  canonicalHash: (number: number): Uint8Array => numbered(Column.canonicalHash, number, NOTHING),
  transactionIndex: (hash: Uint8Array): Uint8Array => key(Column.transactionIndex, hash),
  blockTerms: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.blockTerms, number, hash),
  termPosition: (): Uint8Array => Uint8Array.of(Column.termSection),
  termSection: (section: number): Uint8Array => numbered(Column.termSection, section, NOTHING),
  termPartition: (section: number, partition: number): Uint8Array => {
    const rest = new Uint8Array(PARTITION_BYTES)
    writeUint(rest, 0, partition, PARTITION_BYTES)
    return numbered(Column.termSection, section, rest)
  },
  /** `owner`: empty for the account trie, keccak256(address) for a storage trie; `path`: packed nibbles. */
  trieNode: (version: number, owner: Uint8Array, path: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(1 + NUMBER_BYTES + owner.length + path.length)
    bytes[0] = Column.trieNode
    writeUint(bytes, 1, version, NUMBER_BYTES)
    bytes.set(owner, 1 + NUMBER_BYTES)
    bytes.set(path, 1 + NUMBER_BYTES + owner.length)
    return bytes
  },
  code: (codeHash: Uint8Array): Uint8Array => key(Column.code, codeHash),
  flatAccount: (address: Uint8Array): Uint8Array => key(Column.flatAccount, address),
  flatStorage: (address: Uint8Array, slot: Uint8Array): Uint8Array => key(Column.flatStorage, address, slot),
  reverseDiff: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.reverseDiff, number, hash),
  preimage: (hash: Uint8Array): Uint8Array => key(Column.preimage, hash),
  engineRecord: (engine: string, rest: Uint8Array): Uint8Array =>
    key(Column.engineRecord, text.encode(`${engine}\0`), rest),
  localTransaction: (hash: Uint8Array): Uint8Array => key(Column.localTransaction, hash),
} as const
