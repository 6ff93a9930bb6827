/**
 * Transaction encoding, hashes and signatures.
 * @see EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844, EIP-7702
 * @module
 */
import { bigIntToBytes, bigIntToBytesPadded, concatBytes, EMPTY_BYTES, numberToBytes } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpDecode, rlpEncode } from '../rlp/rlp.ts'
import { invalidField, readBytes, readFixed, readList, readScalar, readTuple } from './scalar.ts'
import type { AccessList, Authorization, LegacyTransaction, Transaction } from './transaction.ts'

const UINT64 = 8
const UINT256 = 32

/** What a sender is recovered from. */
export interface TransactionSignature {
  /** 32 bytes that were signed */
  readonly hash: Uint8Array
  /** r ‖ s, 64 bytes */
  readonly signature: Uint8Array
  readonly yParity: 0 | 1
}

function encodeAccessList(list: AccessList): RlpItem {
  return list.map((item) => [item.address, [...item.storageKeys]])
}

function encodeAuthorizations(list: readonly Authorization[]): RlpItem {
  return list.map((item) => [
    bigIntToBytes(item.chainId),
    item.address,
    bigIntToBytes(item.nonce),
    bigIntToBytes(item.yParity),
    bigIntToBytes(item.r),
    bigIntToBytes(item.s),
  ])
}

/** The fields that are signed, without what EIP-155 adds. */
function unsignedFields(tx: Transaction): RlpItem[] {
  const target = tx.to ?? EMPTY_BYTES
  const common = [bigIntToBytes(tx.gasLimit), target, bigIntToBytes(tx.value), tx.data]
  if (tx.type === 0) return [bigIntToBytes(tx.nonce), bigIntToBytes(tx.gasPrice), ...common]
  const head = [bigIntToBytes(tx.chainId), bigIntToBytes(tx.nonce)]
  const accessList = encodeAccessList(tx.accessList)
  if (tx.type === 1) return [...head, bigIntToBytes(tx.gasPrice), ...common, accessList]
  const fees = [bigIntToBytes(tx.maxPriorityFeePerGas), bigIntToBytes(tx.maxFeePerGas)]
  const fields = [...head, ...fees, ...common, accessList]
  if (tx.type === 3) return [...fields, bigIntToBytes(tx.maxFeePerBlobGas), [...tx.blobVersionedHashes]]
  return tx.type === 4 ? [...fields, encodeAuthorizations(tx.authorizationList)] : fields
}

function signatureFields(tx: Transaction): RlpItem[] {
  const v = tx.type === 0 ? tx.v : tx.yParity
  return [bigIntToBytes(v), bigIntToBytes(tx.r), bigIntToBytes(tx.s)]
}

/** As an item of a block body: a list for legacy transactions, else the fields behind the type byte. */
export function encodeTransactionFields(tx: Transaction): RlpItem[] {
  return [...unsignedFields(tx), ...signatureFields(tx)]
}

/** Canonical bytes (EIP-2718): RLP for type 0, else type ‖ RLP. */
export function encodeTransaction(tx: Transaction): Uint8Array {
  const payload = rlpEncode(encodeTransactionFields(tx))
  return tx.type === 0 ? payload : concatBytes(Uint8Array.of(tx.type), payload)
}

/** The item that stands in a block body: typed transactions are wrapped as byte strings. */
export function encodeTransactionItem(tx: Transaction): RlpItem {
  return tx.type === 0 ? encodeTransactionFields(tx) : encodeTransaction(tx)
}

/** 32 bytes */
export function transactionHash(tx: Transaction): Uint8Array {
  return keccak256(encodeTransaction(tx))
}

/** What the sender signed, 32 bytes. */
export function signingHash(tx: Transaction): Uint8Array {
  const fields = unsignedFields(tx)
  if (tx.type !== 0) return keccak256(concatBytes(Uint8Array.of(tx.type), rlpEncode(fields)))
  if (tx.chainId !== undefined) fields.push(bigIntToBytes(tx.chainId), EMPTY_BYTES, EMPTY_BYTES)
  return keccak256(rlpEncode(fields))
}

/** undefined when r, s or the parity cannot belong to any signature. */
export function signatureOf(tx: Transaction): TransactionSignature | undefined {
  const parity = yParityOf(tx)
  if (parity === undefined || tx.r === 0n || tx.s === 0n) return undefined
  const signature = concatBytes(bigIntToBytesPadded(tx.r, 32), bigIntToBytesPadded(tx.s, 32))
  return { hash: signingHash(tx), signature, yParity: parity }
}

/** Parity of the signature's point; undefined when v holds none. */
export function yParityOf(tx: Transaction): 0 | 1 | undefined {
  const parity = tx.type === 0 ? legacyParity(tx) : tx.yParity
  if (parity === 0n) return 0
  return parity === 1n ? 1 : undefined
}

function legacyParity({ v }: LegacyTransaction): bigint | undefined {
  if (v === 27n || v === 28n) return v - 27n
  return v >= 35n ? (v - 35n) & 1n : undefined
}

/**
 * Decodes the canonical bytes of one transaction.
 * @throws {NodeError} INVALID_RLP, INVALID_ENCODING, UNSUPPORTED_TRANSACTION_TYPE
 */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const first = bytes[0]
  if (first === undefined) throw invalidField('transaction', 'empty')
  if (first >= 0xc0) return decodeLegacy(rlpDecode(bytes))
  if (first < 1 || first > 4) {
    throw new NodeError(
      { code: 'UNSUPPORTED_TRANSACTION_TYPE', type: first },
      `transaction type ${first} is not supported`,
    )
  }
  return decodeTyped(first as 1 | 2 | 3 | 4, rlpDecode(bytes.subarray(1)))
}

/** Decodes an item of a block body. */
export function decodeTransactionItem(item: DecodedItem): Transaction {
  if (!(item instanceof Uint8Array)) return decodeLegacy(item)
  if ((item[0] ?? 0xff) >= 0xc0) throw invalidField('transaction', 'a legacy transaction is not wrapped')
  return decodeTransaction(item)
}

function readTarget(item: DecodedItem | undefined): Uint8Array | undefined {
  const bytes = readBytes(item, 'to')
  if (bytes.length === 0) return undefined
  return readFixed(bytes, 20, 'to')
}

function decodeLegacy(item: DecodedItem): LegacyTransaction {
  const fields = readTuple(item, 9, 'transaction')
  const v = readScalar(fields[6], UINT256, 'v')
  return {
    type: 0,
    nonce: readScalar(fields[0], UINT64, 'nonce'),
    gasPrice: readScalar(fields[1], UINT256, 'gasPrice'),
    gasLimit: readScalar(fields[2], UINT64, 'gasLimit'),
    to: readTarget(fields[3]),
    value: readScalar(fields[4], UINT256, 'value'),
    data: readBytes(fields[5], 'data'),
    v,
    chainId: v >= 35n ? (v - 35n) >> 1n : undefined,
    r: readScalar(fields[7], UINT256, 'r'),
    s: readScalar(fields[8], UINT256, 's'),
  }
}

const FIELD_COUNT = { 1: 11, 2: 12, 3: 14, 4: 13 } as const

function decodeTyped(type: 1 | 2 | 3 | 4, item: DecodedItem): Transaction {
  const fields = readTuple(item, FIELD_COUNT[type], 'transaction')
  const at = type === 1 ? 3 : 4
  const rest = fields.length - 3
  const common = {
    chainId: readScalar(fields[0], UINT256, 'chainId'),
    nonce: readScalar(fields[1], UINT64, 'nonce'),
    gasLimit: readScalar(fields[at], UINT64, 'gasLimit'),
    to: readTarget(fields[at + 1]),
    value: readScalar(fields[at + 2], UINT256, 'value'),
    data: readBytes(fields[at + 3], 'data'),
    accessList: decodeAccessList(fields[at + 4]),
    yParity: readScalar(fields[rest], 1, 'yParity'),
    r: readScalar(fields[rest + 1], UINT256, 'r'),
    s: readScalar(fields[rest + 2], UINT256, 's'),
  }
  if (type === 1) return { type, ...common, gasPrice: readScalar(fields[2], UINT256, 'gasPrice') }
  const fees = {
    maxPriorityFeePerGas: readScalar(fields[2], UINT256, 'maxPriorityFeePerGas'),
    maxFeePerGas: readScalar(fields[3], UINT256, 'maxFeePerGas'),
  }
  if (type === 2) return { type, ...common, ...fees }
  const to = common.to
  if (to === undefined) throw invalidField('to', `missing in a transaction of type ${type}`)
  if (type === 4) return { type, ...common, to, ...fees, authorizationList: decodeAuthorizations(fields[9]) }
  return {
    type,
    ...common,
    to,
    ...fees,
    maxFeePerBlobGas: readScalar(fields[9], UINT256, 'maxFeePerBlobGas'),
    blobVersionedHashes: readList(fields[10], 'blobVersionedHashes').map((hash) =>
      readFixed(hash, 32, 'blobVersionedHash'),
    ),
  }
}

function decodeAccessList(item: DecodedItem | undefined): AccessList {
  return readList(item, 'accessList').map((entry) => {
    const [address, storageKeys] = readTuple(entry, 2, 'accessList entry')
    return {
      address: readFixed(address, 20, 'accessList address'),
      storageKeys: readList(storageKeys, 'storageKeys').map((key) => readFixed(key, 32, 'storageKey')),
    }
  })
}

function decodeAuthorizations(item: DecodedItem | undefined): readonly Authorization[] {
  return readList(item, 'authorizationList').map((entry) => {
    const [chainId, address, nonce, yParity, r, s] = readTuple(entry, 6, 'authorization')
    return {
      chainId: readScalar(chainId, UINT256, 'authorization chainId'),
      address: readFixed(address, 20, 'authorization address'),
      nonce: readScalar(nonce, UINT64, 'authorization nonce'),
      yParity: readScalar(yParity, 1, 'authorization yParity'),
      r: readScalar(r, UINT256, 'authorization r'),
      s: readScalar(s, UINT256, 'authorization s'),
    }
  })
}

/** Blobs with their proofs, as they travel beside a blob transaction on the network (never in a block). */
export interface BlobSidecar {
  /** 0: one proof a blob (EIP-4844); 1: cell proofs (EIP-7594) */
  readonly version: 0 | 1
  /** 131,072 bytes each */
  readonly blobs: readonly Uint8Array[]
  /** 48 bytes each */
  readonly commitments: readonly Uint8Array[]
  /** 48 bytes each */
  readonly proofs: readonly Uint8Array[]
}

const BLOB_BYTES = 131_072

/**
 * Decodes the network form of a blob transaction: 0x03 ‖ rlp([fields, (version,) blobs, commitments, proofs]).
 * @throws {NodeError} INVALID_RLP, INVALID_ENCODING
 */
export function decodeBlobTransactionWithSidecar(bytes: Uint8Array): {
  transaction: Transaction
  sidecar: BlobSidecar
} {
  if (bytes[0] !== 3) throw invalidField('transaction', 'not a blob transaction')
  const items = readList(rlpDecode(bytes.subarray(1)), 'transaction')
  const versioned = items.length === 5
  if (!versioned && items.length !== 4) throw invalidField('transaction', `${items.length} fields in the network form`)
  const version = versioned ? readScalar(items[1], 1, 'sidecar version') : 0n
  if (version !== 0n && version !== 1n) throw invalidField('sidecar version', `${version}`)
  const [blobs, commitments, proofs] = items.slice(versioned ? 2 : 1)
  return {
    transaction: decodeTyped(3, items[0] as DecodedItem),
    sidecar: {
      version: version === 0n ? 0 : 1,
      blobs: readList(blobs, 'blobs').map((blob) => readFixed(blob, BLOB_BYTES, 'blob')),
      commitments: readList(commitments, 'commitments').map((item) => readFixed(item, 48, 'commitment')),
      proofs: readList(proofs, 'proofs').map((item) => readFixed(item, 48, 'proof')),
    },
  }
}

/** A trie key of a transaction or receipt: its RLP-encoded index. */
export function encodeIndex(index: number): Uint8Array {
  return rlpEncode(numberToBytes(index))
}
