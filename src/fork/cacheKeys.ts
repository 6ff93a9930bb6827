/**
 * Keys of data of other chains. Proven data are named by their content, and are true for every chain, block and remote. Other data
 * are named by the remote that said them.
 * @module
 */
import { concatBytes, uintBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'

const text = new TextEncoder()
const SCOPE_BYTES = 16

const Kind = {
  code: 0x01,
  slot: 0x02,
  account: 0x03,
  header: 0x04,
  body: 0x05,
  receipts: 0x06,
  plainAccount: 0x10,
  plainSlot: 0x11,
  canonicalHash: 0x12,
  chainId: 0x13,
  plainBlock: 0x14,
  rules: 0x15,
  plan: 0x20,
  lastCode: 0x21,
  planNodes: 0x22,
} as const

function key(kind: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(kind), ...parts)
}

/** Says which remote was believed: a chain, and the scheme, host and port of the address. */
export function originScope(chainId: bigint, origin: string): Uint8Array {
  return keccak256(text.encode(`${chainId} ${origin}`)).subarray(0, SCOPE_BYTES)
}

/** Hashes have 32 bytes, addresses 20, slots 32, scopes 16. */
export const cacheKeys = {
  code: (codeHash: Uint8Array): Uint8Array => key(Kind.code, codeHash),
  slot: (storageRoot: Uint8Array, slot: Uint8Array): Uint8Array => key(Kind.slot, storageRoot, slot),
  account: (stateRoot: Uint8Array, address: Uint8Array): Uint8Array => key(Kind.account, stateRoot, address),
  header: (blockHash: Uint8Array): Uint8Array => key(Kind.header, blockHash),
  body: (blockHash: Uint8Array): Uint8Array => key(Kind.body, blockHash),
  receipts: (blockHash: Uint8Array): Uint8Array => key(Kind.receipts, blockHash),
  plainAccount: (scope: Uint8Array, blockHash: Uint8Array, address: Uint8Array): Uint8Array =>
    key(Kind.plainAccount, scope, blockHash, address),
  plainSlot: (scope: Uint8Array, blockHash: Uint8Array, address: Uint8Array, slot: Uint8Array): Uint8Array =>
    key(Kind.plainSlot, scope, blockHash, address, slot),
  canonicalHash: (scope: Uint8Array, number: number): Uint8Array =>
    key(Kind.canonicalHash, scope, uintBytes(number, 6)),
  /** Claims of a remote about a block, beside the header that its hash proves. */
  plainBlock: (scope: Uint8Array, blockHash: Uint8Array): Uint8Array => key(Kind.plainBlock, scope, blockHash),
  /** Without a chain id: by the origin alone. */
  chainId: (origin: string): Uint8Array => key(Kind.chainId, keccak256(text.encode(origin)).subarray(0, SCOPE_BYTES)),
  /** Answer of eth_config. */
  rules: (scope: Uint8Array, blockHash: Uint8Array): Uint8Array => key(Kind.rules, scope, blockHash),
  /** Accounts and slots that a code touched. */
  plan: (codeHash: Uint8Array): Uint8Array => key(Kind.plan, codeHash),
  /** Trie nodes of the last proof of a message: the next one may leave them out. */
  planNodes: (plan: Uint8Array): Uint8Array => key(Kind.planNodes, plan),
  /** Hash of the code that an account had when it was last seen, on any block of any chain: a hint. */
  lastCode: (address: Uint8Array): Uint8Array => key(Kind.lastCode, address),
} as const

/** Kinds whose keys begin with a scope. */
const SCOPED_KINDS: readonly number[] = [
  Kind.plainAccount,
  Kind.plainSlot,
  Kind.canonicalHash,
  Kind.chainId,
  Kind.plainBlock,
]

/**
 * The key of an entry in a pack. A pack belongs to one chain and vouches for its entries, whatever remote said them: it must
 * serve with another URL, and without any. So zeros take the place of the scope.
 * @returns undefined for hints: they say what to fetch together, and a pack has what was fetched
 */
export function packKey(key: Uint8Array): Uint8Array | undefined {
  const kind = key[0] as number
  if (kind === Kind.plan || kind === Kind.lastCode || kind === Kind.planNodes) return undefined
  return SCOPED_KINDS.includes(kind) ? key.slice().fill(0, 1, 1 + SCOPE_BYTES) : key
}
