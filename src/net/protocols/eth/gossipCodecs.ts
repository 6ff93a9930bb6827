/**
 * Announcements of blocks and transactions.
 * @see devp2p caps/eth.md; EIP-2464, EIP-5793
 * @module
 */
import { bytesToNumber, numberToBytes } from '../../../base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { ItemBudget, WireReader } from '../../../types/wireReader.ts'
import { type BodyCodec, ETH_MESSAGE, encodeScalar, encodeStrings } from './bodyCodec.ts'
import type { AnnouncedForms } from './messages.ts'
import { checkBodyLists, readHeader } from './responseCodecs.ts'
import { DistinctHashes, readTransactions, transactionList } from './transactionItems.ts'

const HASH_BYTES = 32
const DIFFICULTY_BYTES = 32
/** Besu up to 23.4 pads sizes to 4 bytes. */
const MAX_SIZE_BYTES = 4

/** [[hash, number]…] */
export const newBlockHashesCodec: BodyCodec<'newBlockHashes'> = {
  encode: ({ blocks }) =>
    rlpListOfEncoded(blocks.map(({ hash, number }) => rlpListOfEncoded([rlpEncode(hash), encodeScalar(number)]))),
  decode: (fields) => ({ blocks: fields.all('blocks', (items) => readAnnouncedBlock(items.list('block'))) }),
}

function readAnnouncedBlock(fields: WireReader): { readonly hash: Uint8Array; readonly number: bigint } {
  const block = { hash: fields.fixed('hash', HASH_BYTES), number: fields.scalar('number') }
  fields.end()
  return block
}

/** [block, totalDifficulty] */
export const newBlockCodec: BodyCodec<'newBlock'> = {
  encode: ({ block, totalDifficulty }) => rlpListOfEncoded([block, encodeScalar(totalDifficulty)]),
  decode(fields) {
    const block = fields.item('block')
    const parts = new WireReader(block, ETH_MESSAGE)
    const header = readHeader(parts, new ItemBudget(ETH_MESSAGE))
    checkBodyLists(parts)
    return { block, header, totalDifficulty: fields.scalar('totalDifficulty', DIFFICULTY_BYTES) }
  },
}

export const transactionsCodec: BodyCodec<'transactions'> = {
  encode: ({ transactions }) => transactionList(transactions.map(({ encoding }) => encoding)),
  decode: (fields) => ({ transactions: readTransactions(fields) }),
}

/** eth/65 to eth/67: [hash…]; eth/68: [types, [size…], [hash…]] */
export const newPooledTransactionHashesCodec: BodyCodec<'newPooledTransactionHashes'> = {
  encode({ hashes, forms }, { announcesTypes }) {
    if (!announcesTypes) return encodeStrings(hashes)
    if (forms === undefined) throw new TypeError('forms: eth/68 needs them')
    return rlpListOfEncoded([
      rlpEncode(forms.types),
      encodeStrings(forms.sizes.map(numberToBytes)),
      encodeStrings(hashes),
    ])
  },
  decode(fields, { announcesTypes }) {
    if (!announcesTypes) return { hashes: readDistinct(fields), forms: undefined }
    const forms: AnnouncedForms = { types: fields.bytes('types'), sizes: fields.listOf('sizes', readSize) }
    const hashes = readDistinct(fields.list('hashes'))
    if (forms.types.length !== hashes.length || forms.sizes.length !== hashes.length) {
      throw fields.invalid(`${forms.types.length} types, ${forms.sizes.length} sizes and ${hashes.length} hashes`)
    }
    return { hashes, forms }
  },
}

function readDistinct(fields: WireReader): Uint8Array[] {
  const hashes = fields.hashes('hash')
  const names = new DistinctHashes(fields)
  for (const hash of hashes) names.add(hash)
  return hashes
}

/** Accepts leading zeros. */
function readSize(fields: WireReader): number {
  const bytes = fields.bytes('size')
  if (bytes.length > MAX_SIZE_BYTES) throw fields.invalid(`a size of ${bytes.length} bytes`)
  return bytesToNumber(bytes)
}
