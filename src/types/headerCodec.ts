/**
 * RLP of headers. The number of fields identifies the fork: 15 since Frontier, 16 London, 17 Shanghai, 20 Cancun, 21
 * Prague.
 * @see Yellow Paper 4.4.3; EIP-1559, EIP-4895, EIP-4844, EIP-4788, EIP-7685
 * @module
 */
import { bigIntToBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpEncode } from '../base/primitives/rlp.ts'
import type { Header, HeaderDraft } from './block.ts'
import { decodeItem, type EncodedKind, FieldReader } from './fieldReader.ts'

const HEADER: EncodedKind = { code: 'INVALID_HEADER_ENCODING', name: 'header' }

/** Fields of London, Shanghai, Cancun and Prague, in the order in which they follow the first 15. */
const FORK_FIELDS = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const

/**
 * The fields in order, for the block hash and for the hashes that seals sign.
 * @throws {RangeError} when a field of a later fork is present without the fields before it
 */
export function encodeHeaderFields(header: Header): RlpItem[] {
  const items: RlpItem[] = [
    header.parentHash,
    header.ommersHash,
    header.beneficiary,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    bigIntToBytes(header.difficulty),
    bigIntToBytes(header.number),
    bigIntToBytes(header.gasLimit),
    bigIntToBytes(header.gasUsed),
    bigIntToBytes(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  const first = items.length
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const added = [baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash]
  for (let i = 0; i < added.length; i++) {
    const field = added[i]
    if (field === undefined) continue
    if (items.length !== first + i) throw new RangeError(`header: ${FORK_FIELDS[i]} without the fields before it`)
    items.push(typeof field === 'bigint' ? bigIntToBytes(field) : field)
  }
  return items
}

export function encodeHeader(header: Header): Uint8Array {
  return rlpEncode(encodeHeaderFields(header))
}

/** Keccak-256 of the RLP, 32 bytes. Consensus engines whose block hash omits fields compute their own. */
export function hashHeader(header: Header): Uint8Array {
  return keccak256(encodeHeader(header))
}

/**
 * @param encoded RLP, or the list decoded from it
 * @throws {NodeError} INVALID_HEADER_ENCODING
 */
export function decodeHeader(encoded: DecodedItem): Header {
  const fields = new FieldReader(encoded instanceof Uint8Array ? decodeItem(HEADER, encoded) : encoded, HEADER)
  const { count } = fields
  if (count !== 15 && count !== 16 && count !== 17 && count !== 20 && count !== 21) {
    throw fields.invalid(`${count} fields`)
  }
  const header = decodeFrontierFields(fields)
  decodeForkFields(header, fields)
  return header
}

/**
 * The same header without the bytes around it. A decoded header consists of views: as long as it is kept, so is the whole
 * block, message or file chunk that it was decoded from.
 * @param encoded its RLP
 */
export function ownHeader(header: Header, encoded: Uint8Array): Header {
  const isOwn = header.parentHash.buffer.byteLength <= encoded.length
  return isOwn ? header : decodeHeader(new Uint8Array(encoded))
}

function decodeFrontierFields(fields: FieldReader): HeaderDraft {
  return {
    parentHash: fields.fixed('parentHash', 32),
    ommersHash: fields.fixed('ommersHash', 32),
    beneficiary: fields.fixed('beneficiary', 20),
    stateRoot: fields.fixed('stateRoot', 32),
    transactionsRoot: fields.fixed('transactionsRoot', 32),
    receiptsRoot: fields.fixed('receiptsRoot', 32),
    logsBloom: fields.fixed('logsBloom', 256),
    difficulty: fields.scalar('difficulty', 32),
    number: fields.scalar('number', 8),
    gasLimit: fields.scalar('gasLimit', 8),
    gasUsed: fields.scalar('gasUsed', 8),
    timestamp: fields.scalar('timestamp', 8),
    extraData: fields.bytes('extraData'),
    mixHash: fields.fixed('mixHash', 32),
    nonce: fields.fixed('nonce', 8),
  }
}

function decodeForkFields(header: HeaderDraft, fields: FieldReader): void {
  if (fields.remaining === 0) return
  header.baseFeePerGas = fields.scalar('baseFeePerGas', 32)
  if (fields.remaining === 0) return
  header.withdrawalsRoot = fields.fixed('withdrawalsRoot', 32)
  if (fields.remaining === 0) return
  header.blobGasUsed = fields.scalar('blobGasUsed', 8)
  header.excessBlobGas = fields.scalar('excessBlobGas', 8)
  header.parentBeaconBlockRoot = fields.fixed('parentBeaconBlockRoot', 32)
  if (fields.remaining > 0) header.requestsHash = fields.fixed('requestsHash', 32)
}
