/**
 * The filter object of eth_getLogs, eth_newFilter and log subscriptions.
 * @module
 */

import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import type { LogFilter, TopicFilter } from '../../api/logFilter.ts'
import { MAX_FILTER_ALTERNATIVES, MAX_FILTER_TOPICS } from '../../base/limits/limits.ts'
import { described } from '../../base/primitives/printable.ts'
import type { Codec } from '../method.ts'
import { blockNumberOrTag } from './blockParameter.ts'
import { address, hash32 } from './scalars.ts'
import { arrayOf, asObject, member, parameterCodec } from './support.ts'

const KEYS = ['fromBlock', 'toBlock', 'address', 'topics', 'blockHash']

const addressList = arrayOf(address)

/** One address, or a list of addresses. */
export const addresses: Codec<readonly Uint8Array[]> = parameterCodec(
  { oneOf: [address.schema, { type: 'array', items: address.schema }] },
  (value, profile) =>
    Array.isArray(value) ? addressList.parse(bounded(value), profile) : [address.parse(value, profile)],
)

const topicAlternatives = { oneOf: [{ type: 'null' }, hash32.schema, { type: 'array', items: hash32.schema }] }

const topics: Codec<readonly TopicFilter[]> = parameterCodec({ type: 'array', items: topicAlternatives }, parseTopics)

function parseTopics(value: unknown): readonly TopicFilter[] {
  if (!Array.isArray(value)) return [[hash32.parse(value)]]
  if (value.length > MAX_FILTER_TOPICS)
    throw invalidParams('exceed max topics', { expected: `at most ${MAX_FILTER_TOPICS} topics`, got: described(value) })
  return value.map(parsePosition)
}

function parsePosition(value: unknown): TopicFilter {
  if (value === null) return undefined
  if (!Array.isArray(value)) return [hash32.parse(value)]
  // An empty list sets no condition, as in go-ethereum.
  if (value.length === 0 || value.includes(null)) return undefined
  return bounded(value).map((topic) => hash32.parse(topic))
}

function bounded(values: readonly unknown[]): readonly unknown[] {
  if (values.length > MAX_FILTER_ALTERNATIVES)
    throw invalidParams('exceed max addresses or topics per search position', {
      expected: `at most ${MAX_FILTER_ALTERNATIVES} values`,
      got: described(values),
    })
  return values
}

/** Unknown keys are refused. */
export const logFilter: Codec<LogFilter> = parameterCodec(
  {
    title: 'Filter',
    type: 'object',
    properties: {
      fromBlock: blockNumberOrTag.schema,
      toBlock: blockNumberOrTag.schema,
      blockHash: hash32.schema,
      address: addresses.schema,
      topics: topics.schema,
    },
    additionalProperties: false,
  },
  (value, profile) => {
    const filter = asObject(value, 'filter')
    for (const key of Object.keys(filter))
      if (key !== 'blockhash' && !KEYS.includes(key))
        throw unexpectedValue(`the keys ${KEYS.join(', ')}`, described(key), 'filter')
    const fromBlock = member(filter, 'fromBlock', blockNumberOrTag)
    const toBlock = member(filter, 'toBlock', blockNumberOrTag)
    const blockHash = member(filter, 'blockHash', hash32) ?? member(filter, 'blockhash', hash32)
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw unexpectedValue('either blockHash, or fromBlock and toBlock', 'both', 'filter')
    }
    return {
      fromBlock,
      toBlock,
      blockHash,
      addresses: member(filter, 'address', addresses, profile) ?? [],
      topics: member(filter, 'topics', topics) ?? [],
    }
  },
)
