import { hasHexPrefix } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { uint } from './scalars.ts'
import { UINT } from './schemas.ts'

/** An id that no filter has. */
export const NO_FILTER_ID = -1n
const MAX_ID_CHARACTERS = 66

/** Any text is accepted as an id, even if no filter has it. */
export const filterId: Codec<bigint> = {
  schema: UINT,
  parse: (value) =>
    typeof value === 'string' &&
    hasHexPrefix(value) &&
    value.length <= MAX_ID_CHARACTERS &&
    /^[0-9a-fA-F]+$/.test(value.slice(2))
      ? BigInt(value)
      : NO_FILTER_ID,
  serialize: (id) => uint.serialize(id),
}
