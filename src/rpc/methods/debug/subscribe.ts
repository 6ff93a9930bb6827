import { invalidParams } from '../../../api/errors.ts'
import type { SubscriptionHub } from '../../../api/feeds/subscriptionHub.ts'
import { findHeader } from '../../../api/lookup.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { selectTracer } from '../../../tracing/tracers.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { boolean, uint } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type TraceOptions, traceOptions } from '../../codecs/traceOptions.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { cancel, subscriberOf, subscriptionId } from '../eth/subscriptions.ts'
import { SUBSCRIPTION_ID, TRACE_OPTIONS } from '../support/parameterTexts.ts'
import { type ChainTraceBackend, traceChain } from './trace/chainTrace.ts'

interface Backend {
  readonly subscriptions: SubscriptionHub
}

const subscriptionType: Codec<void> = parameterCodec(
  { title: 'DebugSubscriptionType', type: 'string', enum: ['traceChain'] },
  (value) => {
    if (value !== 'traceChain')
      throw new NodeError(
        { code: 'SUBSCRIPTION_TYPE_UNKNOWN', expected: 'traceChain', got: described(value) },
        'no such subscription',
      )
  },
)

/** With the JSON value, which worker threads receive. */
const givenOptions: Codec<{ readonly json: unknown; readonly options: TraceOptions }> = parameterCodec(
  traceOptions.schema,
  (json, profile) => ({ json, options: traceOptions.parse(json, profile) }),
)
const DEFAULTS = givenOptions.parse({})

export const subscribe: MethodDefinition<ChainTraceBackend & Backend> = defineMethod({
  name: 'debug_subscribe',
  group: 'DEBUG',
  answeredBy: 'any',
  summary:
    'Traces the blocks after `start` up to `end`, one notification for each block with transactions and for the last ' +
    'one (over a WebSocket). The type is `traceChain`.',
  params: [
    param('type', subscriptionType, '`traceChain`, the only type.'),
    param('start', blockNumberOrTag, 'Block before the first traced one: a number or a tag.'),
    param('end', blockNumberOrTag, 'Last traced block: a number or a tag.'),
    optional('options', givenOptions, TRACE_OPTIONS),
  ],
  result: result('id', uint),
  errors: ['SUBSCRIPTION_TYPE_UNKNOWN', 'TOO_MANY_SUBSCRIPTIONS', 'METHOD_NOT_ENABLED', 'UNKNOWN_BLOCK'],
  handler: (backend: ChainTraceBackend & Backend, [, start, end, given = DEFAULTS], context) => {
    const subscriber = subscriberOf(context)
    // Refuses an unknown tracer.
    selectTracer(given.options, backend.options, backend.scripts)
    const [from, to] = [start, end].map((reference) => findHeader(backend.chain, reference)?.header.number)
    if (from === undefined || to === undefined) {
      throw new NodeError({ code: 'UNKNOWN_BLOCK' }, `${from === undefined ? 'start' : 'end'} block not found`)
    }
    if (from >= to) throw invalidParams(`end block (#${to}) needs to come after start block (#${from})`)
    const range = { from: Number(from) + 1, to: Number(to) }
    return backend.subscriptions.subscribe(subscriber, {
      kind: 'work',
      start: (id) => traceChain(backend, { id, subscriber, range, ...given }),
    })
  },
})

export const unsubscribe: MethodDefinition<Backend> = defineMethod({
  name: 'debug_unsubscribe',
  group: 'DEBUG',
  answeredBy: 'main if absent',
  summary: 'Cancels a subscription of debug_subscribe.',
  params: [optional('id', subscriptionId, SUBSCRIPTION_ID)],
  result: result('success', boolean),
  errors: ['SUBSCRIPTION_NOT_FOUND', 'INVALID_SUBSCRIPTION', 'METHOD_NOT_ENABLED'],
  handler: ({ subscriptions }: Backend, [id], context) => cancel(subscriptions, id, context),
})
