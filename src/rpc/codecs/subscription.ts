/**
 * Parameters of eth_subscribe.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */

import { problemOf, unexpectedValue } from '../../api/errors.ts'
import type { SubscriptionRequest } from '../../api/feeds/subscriptionHub.ts'
import type { RpcProfile } from '../../api/profile.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import { described } from '../../base/primitives/printable.ts'
import type { Codec } from '../method.ts'
import { logFilter } from './filter.ts'
import { boolean } from './scalars.ts'
import { asObject, member, parameterCodec } from './support.ts'

const TYPES = ['newHeads', 'logs', 'newPendingTransactions', 'droppedPendingTransactions', 'syncing'] as const

/** Both parameters are read together, by {@link readSubscription}. */
export const subscriptionType: Codec<unknown> = parameterCodec(
  { title: 'SubscriptionType', type: 'string', enum: TYPES },
  (value) => value,
)

export const subscriptionOptions: Codec<unknown> = parameterCodec(
  {
    title: 'SubscriptionOptions',
    oneOf: [
      logFilter.schema,
      { type: 'object', properties: { includeTransactions: boolean.schema }, additionalProperties: false },
      { type: 'boolean' },
    ],
  },
  (value) => value,
)

/** @throws {NodeError} SUBSCRIPTION_TYPE_UNKNOWN, INVALID_SUBSCRIPTION */
export function readSubscription(type: unknown, options: unknown, profile: RpcProfile): SubscriptionRequest {
  try {
    return parse(type, options, profile)
  } catch (error) {
    throw isNodeError(error, 'INVALID_PARAMS') ? invalidSubscription(error) : error
  }
}

/** @param cause the error of the codec */
export function invalidSubscription(cause: NodeError): NodeError {
  return new NodeError({ code: 'INVALID_SUBSCRIPTION', ...problemOf(cause.details) }, cause.message, { cause })
}

function parse(type: unknown, options: unknown, profile: RpcProfile): SubscriptionRequest {
  switch (type) {
    case 'newHeads':
      return { kind: type, includeTransactions: includesTransactions(options) }
    case 'newPendingTransactions':
      // go-ethereum's clients send the boolean without an object.
      if (profile === 'geth' && typeof options === 'boolean') return { kind: type, includeTransactions: options }
      return { kind: type, includeTransactions: includesTransactions(options) }
    case 'logs':
      return { kind: type, filter: logFilter.parse(options, profile) }
    case 'droppedPendingTransactions':
    case 'syncing':
      return { kind: type }
    default: {
      const name = typeof type === 'string' ? type.slice(0, 100) : String(typeof type)
      throw new NodeError({ code: 'SUBSCRIPTION_TYPE_UNKNOWN' }, `no "${name}" subscription in eth namespace`)
    }
  }
}

function includesTransactions(options: unknown): boolean {
  if (options === undefined) return false
  const object = asObject(options, 'options')
  const unknown = Object.keys(object).find((key) => key !== 'includeTransactions')
  if (unknown !== undefined) throw unexpectedValue('the key includeTransactions', described(unknown), 'options')
  return member(object, 'includeTransactions', boolean) ?? false
}
