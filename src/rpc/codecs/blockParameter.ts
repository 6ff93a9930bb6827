/**
 * Block parameters of requests.
 * @module
 */

import type { BlockNumberOrTag, BlockNumberOrTagOrHash, BlockTag } from '../../api/blockReference.ts'
import { unexpectedValue } from '../../api/errors.ts'
import { tryHexToBytes } from '../../base/primitives/bytes.ts'
import { byteCount, described } from '../../base/primitives/printable.ts'
import type { Codec, JsonSchema } from '../method.ts'
import { decodeInteger } from './javaNumber.ts'
import { boolean, hash32 } from './scalars.ts'
import { HASH, UINT } from './schemas.ts'
import { isObject, member, parameterCodec } from './support.ts'

const TAGS: readonly string[] = ['earliest', 'latest', 'pending', 'safe', 'finalized']

const NUMBER_OR_TAG_SCHEMA: JsonSchema = {
  title: 'BlockNumberOrTag',
  oneOf: [UINT, { title: 'BlockTag', type: 'string', enum: TAGS }],
}

const OBJECT_SCHEMA: JsonSchema = {
  title: 'BlockIdentifier',
  type: 'object',
  properties: { blockHash: HASH, blockNumber: NUMBER_OR_TAG_SCHEMA, requireCanonical: { type: 'boolean' } },
}

/** Whether a text is a block tag, in any case. */
export function isTag(text: string): boolean {
  return parseTag(text) !== undefined
}

const BY_TAG: ReadonlyMap<string, BlockNumberOrTag> = new Map(
  TAGS.map((tag) => [tag, { kind: 'tag', tag: tag as BlockTag }]),
)

function parseTag(text: string): BlockNumberOrTag | undefined {
  if (text.length > 9) return undefined
  return BY_TAG.get(text) ?? BY_TAG.get(text.toLowerCase())
}

function parseNumberOrTag(value: unknown): BlockNumberOrTag {
  if (typeof value !== 'string') throw unexpectedValue('a string', described(value), 'block')
  // Above 2^53 the number is inexact, but no block has such a number.
  return parseTag(value) ?? { kind: 'number', number: Number(decodeInteger(value, 64)) }
}

/** A tag in any case, or a number in the syntax of `Long.decode`. */
export const blockNumberOrTag: Codec<BlockNumberOrTag> = parameterCodec(NUMBER_OR_TAG_SCHEMA, parseNumberOrTag)

/** A tag, a number of at most 16 characters, a hash, or an object of EIP-1898. */
export const blockNumberOrTagOrHash: Codec<BlockNumberOrTagOrHash> = parameterCodec(
  { title: 'BlockNumberOrTagOrHash', anyOf: [NUMBER_OR_TAG_SCHEMA, HASH, OBJECT_SCHEMA] },
  (value) => (isObject(value) ? parseBlockObject(value) : parseText(value)),
)

function parseText(value: unknown): BlockNumberOrTagOrHash {
  if (typeof value !== 'string') throw unexpectedValue('a string or an object', described(value), 'block')
  if (value.length >= 65) {
    const hash = tryHexToBytes(value)
    if (hash === undefined || hash.length !== 32)
      throw unexpectedValue('32 bytes of hex', hash === undefined ? described(value) : byteCount(hash.length), 'block')
    return { kind: 'hash', hash, requireCanonical: false }
  }
  if (value.length > 16) throw unexpectedValue('a number or a block hash', described(value), 'block')
  return nonNegative(parseNumberOrTag(value))
}

function parseBlockObject(value: Readonly<Record<string, unknown>>): BlockNumberOrTagOrHash {
  const hash = member(value, 'blockHash', hash32)
  const requireCanonical = member(value, 'requireCanonical', boolean) ?? false
  if (hash !== undefined) {
    if (value['blockNumber'] != null) throw unexpectedValue('either blockHash or blockNumber', 'both', 'block')
    return { kind: 'hash', hash, requireCanonical }
  }
  const number = member(value, 'blockNumber', blockNumberOrTag)
  if (number === undefined) throw unexpectedValue('blockHash or blockNumber', 'neither', 'block')
  return nonNegative(number)
}

function nonNegative(block: BlockNumberOrTag): BlockNumberOrTag {
  if (block.kind === 'number' && block.number < 0)
    throw unexpectedValue('a non-negative number', String(block.number), 'block')
  return block
}
