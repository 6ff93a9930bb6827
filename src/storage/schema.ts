/**
 * All database keys. A key consists of a column byte and fixed-width, big-endian parts, so that ranges are in protocol
 * order. Version numbers and block numbers have 6 bytes.
 *
 * Trie nodes are keyed in the order in which they are written: with 5 million nodes of 100 bytes LMDB sustained
 * 1000-key commits at 138,000 keys per second, compared with 11,000 when keyed by hash. An 8-byte owner would reduce
 * the file by an eighth but save no time, and could be made to collide (test/bench/storage.bench.mjs).
 *
 * A store on a disk may add a checksum to each value (storage/checksum.ts), which no reader sees.
 * @module
 */
import { concatBytes, EMPTY_BYTES, readUint, uintBytes, writeUint } from '../base/primitives/bytes.ts'
import { smallBytes } from '../base/primitives/smallBytes.ts'

/** Written to a new data directory. A newer format is refused, an older one is migrated (storage/migrations.ts). */
export const SCHEMA_VERSION = 3

/**
 * All columns: the first byte of their keys, and as `doc` what they hold (key → value). `immutable`: the value of a key
 * never changes until it is deleted, so copies never become stale. `mutable`: the value may change. `isPublished`: a mirror has
 * the column (storage/published.ts); what is secret, or only of use to the writer, is never published. 0x22 and 0x23 held the
 * flat view of format 1, keyed by address and slot.
 */
export const COLUMNS = {
  meta: {
    byte: 0x01,
    mutability: 'mutable',
    doc: 'name → format version, genesis, chain id and forks, head, safe, finalized, node record, kept nodes, state of migrations, of a load and of derived columns, whether there are runs of empty blocks, lowest block with a state, last block whose state is deleted, lowest block that a mirror has whole, 0 if the state has no preimages, what the functions need that are called most',
  },
  header: { byte: 0x10, mutability: 'immutable', isPublished: true, doc: 'number ‖ hash → header RLP' },
  body: { byte: 0x11, mutability: 'immutable', isPublished: true, doc: 'number ‖ hash → body RLP' },
  receipts: {
    byte: 0x12,
    mutability: 'immutable',
    isPublished: true,
    doc: 'number ‖ hash → stored receipts; absent without transactions',
  },
  senders: {
    byte: 0x13,
    mutability: 'immutable',
    isPublished: true,
    doc: 'number ‖ hash → sender (20) and hash (32) of each transaction; absent without transactions',
  },
  blockRecord: {
    byte: 0x14,
    mutability: 'mutable',
    isPublished: true,
    doc: 'number ‖ hash → flags, version of the state root, block size, total difficulty',
  },
  numberByHash: { byte: 0x15, mutability: 'immutable', isPublished: true, doc: 'hash → number' },
  canonicalHash: { byte: 0x16, mutability: 'mutable', isPublished: true, doc: 'number → hash, canonical chain only' },
  transactionIndex: {
    byte: 0x17,
    mutability: 'mutable',
    isPublished: true,
    doc: 'transaction hash → block number ‖ index of each canonical block, newest first',
  },
  devAmendment: {
    byte: 0x18,
    mutability: 'mutable',
    isPublished: true,
    doc: 'number ‖ hash → deviation of a dev chain block from the protocol (chain/devAmendment.ts)',
  },
  blockTerms: {
    byte: 0x19,
    mutability: 'mutable',
    isPublished: true,
    doc: 'number ‖ hash → terms that find the block, until its section is complete (chain/termIndex/blockTerms.ts)',
  },
  termSection: {
    byte: 0x1a,
    mutability: 'mutable',
    isPublished: true,
    doc: 'section, or section ‖ partition → terms of canonical blocks; empty key → next to build',
  },
  emptyRun: {
    byte: 0x1b,
    mutability: 'mutable',
    isPublished: true,
    doc: 'id of a run of empty blocks on a dev chain → version of its state (6) ‖ record (chain/emptyRuns/runRecord.ts)',
  },
  canonicalRun: {
    byte: 0x1c,
    mutability: 'mutable',
    isPublished: true,
    doc: 'number of the last block of a segment → number of the first one (6) ‖ id of the run, canonical chain only',
  },
  runBlock: {
    byte: 0x1d,
    mutability: 'immutable',
    isPublished: true,
    doc: 'hash of a derived block that was read → number (6) ‖ id of the run',
  },
  amendedState: {
    byte: 0x1e,
    mutability: 'immutable',
    isPublished: true,
    doc: 'number ‖ hash ‖ version (6) → root hash of a state that a later amendment of the dev chain block replaced',
  },
  trieNode: { byte: 0x20, mutability: 'immutable', isPublished: true, doc: 'version ‖ owner ‖ path → trie node' },
  code: { byte: 0x21, mutability: 'immutable', isPublished: true, doc: 'code hash → code' },
  stateDiff: {
    byte: 0x24,
    mutability: 'mutable',
    doc: 'number ‖ hash → flat view entries that the block changed, before and after',
  },
  preimage: {
    byte: 0x25,
    mutability: 'immutable',
    isPublished: true,
    doc: 'keccak256(address or slot) → address or slot',
  },
  flatAccount: {
    byte: 0x26,
    mutability: 'mutable',
    isPublished: true,
    doc: 'keccak256(address) → account at the head, or on a fork that it was deleted; in the order of the account trie (state/account.ts)',
  },
  flatStorage: {
    byte: 0x27,
    mutability: 'mutable',
    isPublished: true,
    doc: 'keccak256(address) ‖ keccak256(slot) → value at the head, of storage with incarnation 0; in the order of the storage tries',
  },
  engineRecord: {
    byte: 0x28,
    mutability: 'immutable',
    isPublished: true,
    doc: 'name of a consensus engine ‖ 0 ‖ key, usually a block hash → data derived by the engine (chain/engine.ts)',
  },
  flatIncarnation: {
    byte: 0x29,
    mutability: 'mutable',
    isPublished: true,
    doc: 'keccak256(address) ‖ incarnation (6) ‖ keccak256(slot) → value at the head, of storage with any other incarnation (state/account.ts)',
  },
  erasedStorage: {
    byte: 0x2a,
    mutability: 'mutable',
    doc: 'number of the block that erased a storage ‖ keccak256(address) ‖ incarnation (6) → 0, or 1 ‖ last deleted key of the flat view (state/erasedStorage.ts)',
  },
  localTransaction: {
    byte: 0x30,
    mutability: 'mutable',
    doc: 'transaction hash → wall clock ms (6) ‖ 1 and sender if impersonated, else 0 ‖ pooled encoding',
  },
  bftVote: {
    byte: 0x31,
    mutability: 'mutable',
    doc: 'height ‖ round (4) ‖ kind (1) → protocol (1) ‖ message that this validator has signed (sealing/bft/voteJournal.ts)',
  },
  clientRequest: {
    byte: 0x32,
    mutability: 'mutable',
    doc: 'number of a request to the node of several tabs (6) → who asked and the outcome, of the last ones (adapters/browser/sharing/clientRecords.ts)',
  },
  privateTrieNode: {
    byte: 0x40,
    mutability: 'immutable',
    doc: 'version ‖ owner ‖ path → node of a private state; never served to peers',
  },
  privateCode: { byte: 0x41, mutability: 'immutable', doc: 'code hash → code of a private contract' },
  privateRoots: {
    byte: 0x42,
    mutability: 'mutable',
    doc: 'privacy group id ‖ number ‖ hash → markers of the group in the block, each with the state after it (private/privacy/privateRecords.ts)',
  },
  privateReceipt: {
    byte: 0x43,
    mutability: 'mutable',
    doc: 'block hash ‖ marker hash → receipt of the private transaction',
  },
  enclavePayload: {
    byte: 0x50,
    mutability: 'mutable',
    doc: 'digest of the content → encrypted payload (private/enclave/encryptedPayload.ts); in the database of an enclave',
  },
  enclaveGroup: {
    byte: 0x51,
    mutability: 'mutable',
    doc: 'privacy group id → group (private/enclave/group.ts); in the database of an enclave',
  },
  enclaveGroupMembers: {
    byte: 0x52,
    mutability: 'mutable',
    doc: 'legacy id of the members ‖ privacy group id → 1, groups that were not deleted; in the database of an enclave',
  },
  enclaveQuota: {
    byte: 0x53,
    mutability: 'mutable',
    doc: 'empty → bytes that unknown enclaves have stored (8); in the database of an enclave',
  },
  mirrorJournal: {
    byte: 0x60,
    mutability: 'mutable',
    doc: 'number of a batch → published keys that it changed; empty key → what the mirror has (mirror/publisher/journal.ts)',
  },
} as const

export type ColumnName = keyof typeof COLUMNS

export type ColumnBytes = { readonly [Name in ColumnName]: (typeof COLUMNS)[Name]['byte'] }

/** First key byte of each column. */
export const Column: ColumnBytes = Object.fromEntries(
  Object.entries(COLUMNS).map(([name, { byte }]) => [name, byte]),
) as ColumnBytes

/** undefined for a key of no column */
export function columnOf(key: Uint8Array): ColumnName | undefined {
  const [name] = Object.entries(COLUMNS).find(([, { byte }]) => byte === key[0]) ?? []
  return name as ColumnName | undefined
}

const NUMBER_BYTES = 6
const PARTITION_BYTES = 2
const ROUND_BYTES = 4
const HASH_BYTES = 32

function key(column: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(column), ...parts)
}

/** Without a list of parts: most keys of a block are hashes. */
function hashed(column: number, hash: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + hash.length)
  bytes[0] = column
  bytes.set(hash, 1)
  return bytes
}

function numbered(column: number, number: number, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + NUMBER_BYTES + rest.length)
  bytes[0] = column
  writeUint(bytes, 1, number, NUMBER_BYTES)
  bytes.set(rest, 1 + NUMBER_BYTES)
  return bytes
}

/** Splits a key into number and hash. */
export function numberedKey(bytes: Uint8Array): { readonly number: number; readonly hash: Uint8Array } {
  return numberedParts(bytes, 1)
}

/** Length of the number and the hash that end a key of `privateRoots`. */
export const PRIVATE_ROOTS_SUFFIX_BYTES: number = NUMBER_BYTES + HASH_BYTES

/** Reads a number and the rest of the key, from an offset. */
export function numberedParts(
  bytes: Uint8Array,
  offset: number,
): { readonly number: number; readonly hash: Uint8Array } {
  return { number: readUint(bytes, offset, NUMBER_BYTES), hash: bytes.slice(offset + NUMBER_BYTES) }
}

const text = new TextEncoder()

export type MetaName =
  | 'schemaVersion'
  | 'genesisHash'
  | 'genesis'
  | 'rules'
  | 'head'
  | 'safe'
  | 'finalized'
  | 'stateVersion'
  | 'flatRoot'
  | 'loading'
  | 'runs'
  | 'stateFrom'
  | 'prunedTo'
  | 'historyFrom'
  | 'nodeRecord'
  | 'keptNodes'
  | 'preimages'
  | 'callTable'
  | 'migratingFrom'
  | `migration:${string}`
  | `derived:${string}`
  | `loaded:${number | ''}`

/** Functions that build keys. */
export const keys = {
  meta: (name: MetaName): Uint8Array => key(Column.meta, text.encode(name)),
  header: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.header, number, hash),
  /** Prefix of the headers of a height. */
  headersAt: (number: number): Uint8Array => numbered(Column.header, number, EMPTY_BYTES),
  body: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.body, number, hash),
  receipts: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.receipts, number, hash),
  senders: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.senders, number, hash),
  blockRecord: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.blockRecord, number, hash),
  numberByHash: (hash: Uint8Array): Uint8Array => hashed(Column.numberByHash, hash),
  devAmendment: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.devAmendment, number, hash),
  /** Prefix of the replaced states of a block. */
  amendedStatesOf: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.amendedState, number, hash),
  amendedState: (number: number, hash: Uint8Array, version: number): Uint8Array =>
    numbered(Column.amendedState, number, concatBytes(hash, uintBytes(version, NUMBER_BYTES))),
  canonicalHash: (number: number): Uint8Array => numbered(Column.canonicalHash, number, EMPTY_BYTES),
  emptyRun: (id: Uint8Array): Uint8Array => key(Column.emptyRun, id),
  /** `last`: the last derived block of the segment. */
  canonicalRun: (last: number): Uint8Array => numbered(Column.canonicalRun, last, EMPTY_BYTES),
  runBlock: (hash: Uint8Array): Uint8Array => hashed(Column.runBlock, hash),
  transactionIndex: (hash: Uint8Array): Uint8Array => hashed(Column.transactionIndex, hash),
  blockTerms: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.blockTerms, number, hash),
  termPosition: (): Uint8Array => Uint8Array.of(Column.termSection),
  termSection: (section: number): Uint8Array => numbered(Column.termSection, section, EMPTY_BYTES),
  termPartition: (section: number, partition: number): Uint8Array => {
    return numbered(Column.termSection, section, uintBytes(partition, PARTITION_BYTES))
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
  code: (codeHash: Uint8Array): Uint8Array => hashed(Column.code, codeHash),
  /** `addressHash`: keccak256(address) */
  flatAccount: (addressHash: Uint8Array): Uint8Array => hashed(Column.flatAccount, addressHash),
  /** `slotHash`: keccak256(slot) */
  flatStorage: (addressHash: Uint8Array, incarnation: number, slotHash: Uint8Array): Uint8Array => {
    const slotAt = 1 + HASH_BYTES + (incarnation === 0 ? 0 : NUMBER_BYTES)
    // V8 allocates arrays of more than 64 bytes outside its heap, which takes longer than the lookup in memory.
    const bytes = smallBytes(slotAt + HASH_BYTES)
    bytes[0] = incarnation === 0 ? Column.flatStorage : Column.flatIncarnation
    bytes.set(addressHash, 1)
    if (incarnation !== 0) writeUint(bytes, 1 + HASH_BYTES, incarnation, NUMBER_BYTES)
    bytes.set(slotHash, slotAt)
    return bytes
  },
  /** Prefix of all slots of a storage. */
  flatStorageOf: (addressHash: Uint8Array, incarnation: number): Uint8Array =>
    incarnation === 0
      ? key(Column.flatStorage, addressHash)
      : key(Column.flatIncarnation, addressHash, uintBytes(incarnation, NUMBER_BYTES)),
  /** `number`: of the block that erased the storage */
  erasedStorage: (number: number, addressHash: Uint8Array, incarnation: number): Uint8Array =>
    numbered(Column.erasedStorage, number, concatBytes(addressHash, uintBytes(incarnation, NUMBER_BYTES))),
  stateDiff: (number: number, hash: Uint8Array): Uint8Array => numbered(Column.stateDiff, number, hash),
  preimage: (hash: Uint8Array): Uint8Array => hashed(Column.preimage, hash),
  engineRecord: (engine: string, rest: Uint8Array): Uint8Array =>
    key(Column.engineRecord, text.encode(`${engine}\0`), rest),
  localTransaction: (hash: Uint8Array): Uint8Array => key(Column.localTransaction, hash),
  /** Prefix of all blocks of a group. */
  privateRootsOf: (groupId: Uint8Array): Uint8Array => key(Column.privateRoots, groupId),
  privateRoots: (groupId: Uint8Array, number: number, hash: Uint8Array): Uint8Array => {
    return key(Column.privateRoots, groupId, uintBytes(number, NUMBER_BYTES), hash)
  },
  privateReceipt: (blockHash: Uint8Array, markerHash: Uint8Array): Uint8Array =>
    key(Column.privateReceipt, blockHash, markerHash),
  enclavePayload: (digest: Uint8Array): Uint8Array => key(Column.enclavePayload, digest),
  enclaveGroup: (groupId: Uint8Array): Uint8Array => key(Column.enclaveGroup, groupId),
  /** Prefix of all groups with the same members. */
  enclaveGroupsOf: (legacyId: Uint8Array): Uint8Array => key(Column.enclaveGroupMembers, legacyId),
  enclaveGroupMembers: (legacyId: Uint8Array, groupId: Uint8Array): Uint8Array =>
    key(Column.enclaveGroupMembers, legacyId, groupId),
  enclaveQuota: (): Uint8Array => Uint8Array.of(Column.enclaveQuota),
  mirrorJournal: (batch: number): Uint8Array => numbered(Column.mirrorJournal, batch, EMPTY_BYTES),
  mirrorPosition: (): Uint8Array => Uint8Array.of(Column.mirrorJournal),
  clientRequest: (number: number): Uint8Array => numbered(Column.clientRequest, number, EMPTY_BYTES),
  bftVote: (height: number, round: number, kind: number): Uint8Array => {
    const rest = new Uint8Array(ROUND_BYTES + 1)
    writeUint(rest, 0, round, ROUND_BYTES)
    rest[ROUND_BYTES] = kind
    return numbered(Column.bftVote, height, rest)
  },
} as const
