import type { Subscriber, SubscriptionHub } from '../../../api/feeds/subscriptionHub.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { boolean, uint, uint64 } from '../../codecs/scalars.ts'
import { UINT } from '../../codecs/schemas.ts'
import {
  invalidSubscription,
  readSubscription,
  subscriptionOptions,
  subscriptionType,
} from '../../codecs/subscription.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, type RequestContext, result } from '../../method.ts'
import { SUBSCRIPTION_ID } from '../support/parameterTexts.ts'

interface Backend {
  readonly subscriptions: SubscriptionHub
}

/** Parsed by {@link readId}, whose error differs from that of other parameters. */
export const subscriptionId: Codec<unknown> = parameterCodec(UINT, (value) => value)

export const subscribe: MethodDefinition<Backend & { readonly options: ApiOptions }> = defineMethod({
  name: 'eth_subscribe',
  group: 'ETH',
  answeredBy: ([type]) => (type === 'newHeads' || type === 'logs' ? 'any' : 'main'),
  summary: 'Subscribes a WebSocket connection to new blocks, logs, transactions or the synchronisation status.',
  params: [
    optional(
      'type',
      subscriptionType,
      'What to follow: `newHeads`, `logs`, `newPendingTransactions`, `droppedPendingTransactions` or `syncing`.',
    ),
    optional(
      'options',
      subscriptionOptions,
      'For `logs`, the filter. For `newHeads` and `newPendingTransactions`, `{includeTransactions: true}` sends whole transactions.',
    ),
  ],
  needsSubscriber: true,
  result: result('id', uint),
  errors: ['SUBSCRIPTION_TYPE_UNKNOWN', 'INVALID_SUBSCRIPTION', 'TOO_MANY_SUBSCRIPTIONS', 'METHOD_NOT_ENABLED'],
  handler: ({ subscriptions, options }: Backend & { readonly options: ApiOptions }, [type, given], context) =>
    subscriptions.subscribe(subscriberOf(context), readSubscription(type, given, options.profile)),
})

export const unsubscribe: MethodDefinition<Backend> = defineMethod({
  name: 'eth_unsubscribe',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'Cancels a subscription of the WebSocket connection.',
  params: [optional('id', subscriptionId, SUBSCRIPTION_ID)],
  needsSubscriber: true,
  result: result('success', boolean),
  errors: ['SUBSCRIPTION_NOT_FOUND', 'INVALID_SUBSCRIPTION', 'METHOD_NOT_ENABLED'],
  handler: ({ subscriptions }: Backend, [id], context) => cancel(subscriptions, id, context),
})

/** @throws {NodeError} SUBSCRIPTION_NOT_FOUND, INVALID_SUBSCRIPTION, METHOD_NOT_ENABLED */
export function cancel(subscriptions: SubscriptionHub, id: unknown, context: RequestContext): true {
  if (subscriptions.unsubscribe(subscriberOf(context), readId(id))) return true
  throw new NodeError({ code: 'SUBSCRIPTION_NOT_FOUND' }, 'subscription not found')
}

/** @throws {NodeError} METHOD_NOT_ENABLED over HTTP */
export function subscriberOf({ subscriber }: RequestContext): Subscriber {
  if (subscriber === undefined) throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'notifications not supported')
  return subscriber
}

function readId(value: unknown): bigint {
  try {
    return uint64.parse(value)
  } catch (error) {
    throw isNodeError(error, 'INVALID_PARAMS') ? invalidSubscription(error) : error
  }
}
