import { type BlockNumberOrTag, LATEST } from '../../../api/blockReference.ts'
import { unexpectedValue } from '../../../api/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { addresses } from '../../codecs/filter.ts'
import { index } from '../../codecs/scalars.ts'
import { asObject, member, parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'

export interface TraceFilterOptions {
  readonly fromBlock: BlockNumberOrTag
  readonly toBlock: BlockNumberOrTag
  /** Callers, 20 bytes each; empty: any. */
  readonly from: readonly Uint8Array[]
  /** Callees, 20 bytes each; empty: any. */
  readonly to: readonly Uint8Array[]
  /** Number of matching entries to skip. */
  readonly after: number
  /** Maximum number of entries; undefined: all. */
  readonly count: number | undefined
}

const PROPERTIES = {
  fromBlock: blockNumberOrTag.schema,
  toBlock: blockNumberOrTag.schema,
  fromAddress: addresses.schema,
  toAddress: addresses.schema,
  after: index.schema,
  count: index.schema,
}

/** Unknown keys are refused. */
export const traceFilterOptions: Codec<TraceFilterOptions> = parameterCodec(
  { title: 'TraceFilter', type: 'object', properties: PROPERTIES, additionalProperties: false },
  (value, profile) => {
    const filter = asObject(value, 'filter')
    for (const key of Object.keys(filter)) {
      if (!Object.hasOwn(PROPERTIES, key))
        throw unexpectedValue(`the keys ${Object.keys(PROPERTIES).join(', ')}`, described(key), 'filter')
    }
    return {
      fromBlock: member(filter, 'fromBlock', blockNumberOrTag) ?? LATEST,
      toBlock: member(filter, 'toBlock', blockNumberOrTag) ?? LATEST,
      from: member(filter, 'fromAddress', addresses, profile) ?? [],
      to: member(filter, 'toAddress', addresses, profile) ?? [],
      after: member(filter, 'after', index) ?? 0,
      count: member(filter, 'count', index),
    }
  },
)
