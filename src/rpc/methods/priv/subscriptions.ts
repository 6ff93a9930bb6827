import type { SubscriptionHub } from '../../../api/feeds/subscriptionHub.ts'
import type { RpcProfile } from '../../../api/profile.ts'
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import type { FollowedLogs } from '../../../private/privacy/privateFeed.ts'
import { readGroupId } from '../../../private/privacy/privateLookup.ts'
import { privateFilter } from '../../codecs/privacy.ts'
import { serializeLog } from '../../codecs/receipt.ts'
import { boolean, ignored, uint } from '../../codecs/scalars.ts'
import { subscriptionOptions } from '../../codecs/subscription.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../method.ts'
import { cancel, subscriberOf, subscriptionId } from '../eth/subscriptions.ts'
import { PRIVACY_GROUP, SUBSCRIPTION_ID } from '../support/parameterTexts.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf, requireMember, userOf } from './backend.ts'

interface Backend extends PrivacyBackend {
  readonly subscriptions: SubscriptionHub
}

export const subscribe: MethodDefinition<Backend> = defineMethod({
  name: 'priv_subscribe',
  group: 'PRIV',
  summary: 'Subscribes a WebSocket connection to the private logs of a group.',
  params: [
    optional('privacyGroupId', ignored, PRIVACY_GROUP),
    optional('type', ignored, '`logs`, the only type.'),
    optional('filter', subscriptionOptions, '`address` and `topics` of the logs; `{}` for all.'),
  ],
  needsSubscriber: true,
  result: result('id', uint),
  errors: [...PRIVATE_ERRORS, 'TOO_MANY_SUBSCRIPTIONS', 'METHOD_NOT_ENABLED'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, type, filter], context) => {
    const subscriber = subscriberOf(context)
    const { privacyGroupId, groupId, terms } = readFollowed(group, type, filter)
    await requireMember(backend, groupId, context)
    const { tenants, feed } = privacyOf(backend)
    const user = userOf(backend, context)
    const start = (id: bigint) => {
      const send: FollowedLogs['send'] = (log) => {
        const params = { subscription: uint.serialize(id), privacyGroupId, result: serializeLog(log) }
        subscriber.send(JSON.stringify({ jsonrpc: '2.0', method: 'priv_subscription', params }))
      }
      return feed.follow({ groupId, terms, mayRead: () => tenants.isMember(privacyGroupId, user), send })
    }
    return backend.subscriptions.subscribe(subscriber, { kind: 'work', start })
  },
})

export const unsubscribe: MethodDefinition<Backend> = defineMethod({
  name: 'priv_unsubscribe',
  group: 'PRIV',
  summary: 'Cancels a subscription to private logs.',
  params: [optional('privacyGroupId', ignored, PRIVACY_GROUP), optional('id', subscriptionId, SUBSCRIPTION_ID)],
  needsSubscriber: true,
  result: result('success', boolean),
  errors: [...PRIVATE_ERRORS, 'SUBSCRIPTION_NOT_FOUND', 'INVALID_SUBSCRIPTION', 'METHOD_NOT_ENABLED'],
  isServed: isPrivate,
  handler: ({ subscriptions }: Backend, [group, id], context) => {
    if (group === undefined || id === undefined) throw malformed('expected a group and an id')
    return cancel(subscriptions, id, context)
  },
})

/** An unknown or malformed group has no logs. @throws {NodeError} INVALID_REQUEST */
function readFollowed(group: unknown, type: unknown, filter: unknown, profile?: RpcProfile) {
  if (typeof group !== 'string' || type !== 'logs' || filter === undefined) {
    throw malformed('expected a group, "logs" and a filter')
  }
  try {
    const { addresses, topics } = privateFilter.parse(filter, profile)
    const groupId = readGroupId(group) ?? EMPTY_BYTES
    return { privacyGroupId: group, groupId, terms: { addresses, topics } }
  } catch (error) {
    throw isNodeError(error, 'INVALID_PARAMS') ? malformed(error.message) : error
  }
}

function malformed(message: string): NodeError {
  return new NodeError({ code: 'INVALID_REQUEST' }, message)
}
