/**
 * Parameters of Otterscan's methods. Otterscan names blocks by JSON numbers.
 * @module
 */
import type { BlockNumberOrTag, BlockNumberOrTagOrHash } from '../../../api/blockReference.ts'
import { unexpectedValue } from '../../../api/errors.ts'
import { MAX_OTS_PAGE_SIZE } from '../../../base/limits/otsLimits.ts'
import { blockNumberOrTag, blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { index } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'

const NUMBER = { type: 'integer', minimum: 0 }

function withNumbers<T>(codec: Codec<T>): Codec<T | Extract<BlockNumberOrTag, { kind: 'number' }>> {
  return parameterCodec({ anyOf: [NUMBER, codec.schema] }, (value, profile) => {
    if (typeof value !== 'number') return codec.parse(value, profile)
    if (!Number.isInteger(value) || value < 0) throw unexpectedValue('a non-negative integer', String(value), 'block')
    return { kind: 'number', number: value }
  })
}

export const otsBlock: Codec<BlockNumberOrTag> = withNumbers(blockNumberOrTag)
export const otsBlockOrHash: Codec<BlockNumberOrTagOrHash> = withNumbers(blockNumberOrTagOrHash)

export const pageSize: Codec<number> = parameterCodec(
  { anyOf: [{ ...NUMBER, minimum: 1, maximum: MAX_OTS_PAGE_SIZE }, index.schema] },
  (value) => {
    const size = index.parse(value)
    if (size < 1 || size > MAX_OTS_PAGE_SIZE) {
      throw unexpectedValue(`1 to ${MAX_OTS_PAGE_SIZE}`, String(size), 'page size')
    }
    return size
  },
)

export const OTS_BLOCK = 'Number in JSON, in hex or in decimal text, or a tag. `pending` is the head.'
export const PAGE_SIZE: string = `Number of transactions, 1 to ${MAX_OTS_PAGE_SIZE}.`
