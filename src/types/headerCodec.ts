/**
 * Header encoding, every fork from Frontier to Osaka. Later forks append fields, so the number of fields tells the shape.
 * @see Yellow Paper 4.3; EIP-1559, EIP-4895, EIP-4844, EIP-4788, EIP-7685
 * @module
 */
import { bigIntToBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpEncode } from '../rlp/rlp.ts'
import type { Header } from './block.ts'
import { invalidField, readBytes, readFixed, readList, readScalar } from './scalar.ts'

const FRONTIER_FIELDS = 15
const HASH = 32
const UINT64 = 8
const UINT256 = 32

/** Field counts that exist: Frontier, London, Shanghai, Cancun, Prague. */
const FIELD_COUNTS: ReadonlySet<number> = new Set([FRONTIER_FIELDS, 16, 17, 20, 21])

export function encodeHeaderFields(header: Header): RlpItem[] {
  const fields: RlpItem[] = [
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
  if (header.baseFeePerGas !== undefined) fields.push(bigIntToBytes(header.baseFeePerGas))
  if (header.withdrawalsRoot !== undefined) fields.push(header.withdrawalsRoot)
  if (header.blobGasUsed !== undefined) fields.push(bigIntToBytes(header.blobGasUsed))
  if (header.excessBlobGas !== undefined) fields.push(bigIntToBytes(header.excessBlobGas))
  if (header.parentBeaconBlockRoot !== undefined) fields.push(header.parentBeaconBlockRoot)
  if (header.requestsHash !== undefined) fields.push(header.requestsHash)
  return fields
}

export function encodeHeader(header: Header): Uint8Array {
  return rlpEncode(encodeHeaderFields(header))
}

/** The block hash, 32 bytes. */
export function headerHash(header: Header): Uint8Array {
  return keccak256(encodeHeader(header))
}

/**
 * @throws {NodeError} INVALID_ENCODING naming the field
 */
export function decodeHeader(item: DecodedItem): Header {
  const fields = readList(item, 'header')
  if (!FIELD_COUNTS.has(fields.length)) throw invalidField('header', `${fields.length} fields`)
  return {
    parentHash: readFixed(fields[0], HASH, 'parentHash'),
    ommersHash: readFixed(fields[1], HASH, 'ommersHash'),
    beneficiary: readFixed(fields[2], 20, 'beneficiary'),
    stateRoot: readFixed(fields[3], HASH, 'stateRoot'),
    transactionsRoot: readFixed(fields[4], HASH, 'transactionsRoot'),
    receiptsRoot: readFixed(fields[5], HASH, 'receiptsRoot'),
    logsBloom: readFixed(fields[6], 256, 'logsBloom'),
    difficulty: readScalar(fields[7], UINT256, 'difficulty'),
    number: readScalar(fields[8], UINT64, 'number'),
    gasLimit: readScalar(fields[9], UINT64, 'gasLimit'),
    gasUsed: readScalar(fields[10], UINT64, 'gasUsed'),
    timestamp: readScalar(fields[11], UINT64, 'timestamp'),
    extraData: readBytes(fields[12], 'extraData'),
    mixHash: readFixed(fields[13], HASH, 'mixHash'),
    nonce: readFixed(fields[14], 8, 'nonce'),
    ...laterFields(fields),
  }
}

function laterFields(fields: readonly DecodedItem[]): Partial<Header> {
  const count = fields.length
  return {
    ...(count > 15 ? { baseFeePerGas: readScalar(fields[15], UINT256, 'baseFeePerGas') } : {}),
    ...(count > 16 ? { withdrawalsRoot: readFixed(fields[16], HASH, 'withdrawalsRoot') } : {}),
    ...(count > 17
      ? {
          blobGasUsed: readScalar(fields[17], UINT64, 'blobGasUsed'),
          excessBlobGas: readScalar(fields[18], UINT64, 'excessBlobGas'),
          parentBeaconBlockRoot: readFixed(fields[19], HASH, 'parentBeaconBlockRoot'),
        }
      : {}),
    ...(count > 20 ? { requestsHash: readFixed(fields[20], HASH, 'requestsHash') } : {}),
  }
}
