import { unexpectedValue } from '../../../api/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { TraceTypes } from '../../../tracing/besu/transactionTracer.ts'
import { parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'

const NAMES = ['trace', 'vmTrace', 'stateDiff']

/** The requested traces: names in any case, in a list that may be empty. */
export const traceTypes: Codec<TraceTypes> = parameterCodec(
  { title: 'TraceTypes', type: 'array', items: { type: 'string', enum: NAMES } },
  (value) => {
    if (!Array.isArray(value)) throw unexpectedValue('an array', described(value), 'trace types')
    const types = new Set(value.map(traceType))
    return { trace: types.has('trace'), vmTrace: types.has('vmtrace'), stateDiff: types.has('statediff') }
  },
)

function traceType(value: unknown): string {
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  if (NAMES.some((known) => known.toLowerCase() === name)) return name
  throw unexpectedValue(`one of ${NAMES.join(', ')}`, described(value), 'trace types')
}
