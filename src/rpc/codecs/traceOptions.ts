/**
 * Options of debug_trace*.
 * @see docs/reference/debug-and-trace.md section 1; go-ethereum's TraceConfig
 * @module
 */

import type { AccountOverride, BlockOverrides } from '../../api/calls/overrides.ts'
import { unexpectedValue } from '../../api/errors.ts'
import { MAX_TIMER_MS } from '../../base/ports/timers.ts'
import { described } from '../../base/primitives/printable.ts'
import { TRACER_NAMES, type TracerChoice } from '../../tracing/tracers.ts'
import type { Codec } from '../method.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'
import { boolean, decimal, string } from './scalars.ts'
import { asObject, type JsonObject, member, parameterCodec } from './support.ts'

export interface TraceOptions extends TracerChoice {
  /** Limit in wall-clock time for one transaction; undefined: none. */
  readonly timeoutMs: number | undefined
}

/** Options of a traced call. */
export interface TraceCallOptions extends TraceOptions {
  readonly stateOverrides: readonly AccountOverride[] | undefined
  readonly blockOverrides: BlockOverrides | undefined
}

const FLAGS = ['disableStorage', 'disableMemory', 'disableStack', 'enableMemory', 'enableReturnData'] as const
type Flags = Partial<Record<(typeof FLAGS)[number], boolean>>

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const DURATION = /^(?:\d{1,15}(?:\.\d{0,9})?(?:ns|us|µs|μs|ms|s|m|h))+$/
const PART = /(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g

/** Go's syntax for durations: `5s`, `1m30s`, `500ms`. The value is in milliseconds. */
const duration: Codec<number> = parameterCodec({ title: 'Duration', type: 'string' }, (value) => {
  if (typeof value !== 'string' || value.length > 64 || !DURATION.test(value)) {
    throw unexpectedValue('a duration such as "5s"', described(value))
  }
  let ms = 0
  for (const [, count, unit] of value.matchAll(PART)) ms += Number(count) * (UNITS[unit as string] as number)
  return Math.min(ms, MAX_TIMER_MS)
})

const PROPERTIES = {
  ...Object.fromEntries(FLAGS.map((flag) => [flag, boolean.schema])),
  limit: decimal.schema,
  timeout: duration.schema,
  tracer: { type: 'string', description: `${TRACER_NAMES.join(', ')}, or a JavaScript expression` },
  tracerConfig: { type: 'object' },
}

/** Keys other than these are ignored. */
export const traceOptions: Codec<TraceOptions> = parameterCodec(
  { title: 'Trace options', type: 'object', properties: PROPERTIES },
  (value) => parseOptions(optionsIn(value)),
)

export const traceCallOptions: Codec<TraceCallOptions> = parameterCodec(
  {
    title: 'Trace options of a call',
    type: 'object',
    properties: { ...PROPERTIES, stateOverrides: stateOverrides.schema, blockOverrides: blockOverrides.schema },
  },
  (value, profile) => {
    const options = optionsIn(value)
    return {
      ...parseOptions(options),
      stateOverrides: member(options, 'stateOverrides', stateOverrides, profile),
      blockOverrides: member(options, 'blockOverrides', blockOverrides, profile),
    }
  },
)

/** The defaults. */
export const NO_TRACE_OPTIONS: TraceCallOptions = traceCallOptions.parse({})

/** Go reads names in any case, and go-ethereum's own client writes the names of its fields, such as `Tracer`. */
function optionsIn(value: unknown): JsonObject {
  const options = asObject(value, 'options')
  const capital = Object.keys(options).filter((key) => /^[A-Z]/.test(key))
  if (capital.length === 0) return options
  const renamed = capital.map((key) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, options[key]])
  return { ...Object.fromEntries(renamed), ...options }
}

function parseOptions(options: JsonObject): TraceOptions {
  const flags: Flags = {}
  for (const name of FLAGS) {
    const flag = member(options, name, boolean)
    if (flag !== undefined) flags[name] = flag
  }
  const limit = member(options, 'limit', decimal)
  const tracer = member(options, 'tracer', string)
  return {
    ...flags,
    ...(limit === undefined ? {} : { limit }),
    // Clients send an empty name for the default.
    tracer: tracer === '' ? undefined : tracer,
    tracerConfig: options['tracerConfig'],
    timeoutMs: member(options, 'timeout', duration),
  }
}
