import type { BlockView } from '../../../api/viewTypes.ts'
import { encodedLength } from '../../../base/primitives/rlp.ts'
import type { Header } from '../../../types/block.ts'
import { encodeHeader, hashHeader } from '../../../types/headerCodec.ts'

/** Two empty lists in a block's RLP: transactions and ommers. */
const EMPTY_BODY_BYTES = 2

/** An ommer in the form of a block: no transactions, no total difficulty, the size of the header with an empty body. */
export function ommerView(header: Header | undefined): BlockView | undefined {
  if (header === undefined) return undefined
  const payload = encodeHeader(header).length + EMPTY_BODY_BYTES
  return {
    header,
    hash: hashHeader(header),
    totalDifficulty: 0n,
    size: payload + listPrefixLength(payload),
    transactions: [],
    ommerHashes: [],
    withdrawals: undefined,
  }
}

/** Length in bytes of the RLP list prefix for a payload of this size. */
function listPrefixLength(payload: number): number {
  return encodedLength(new Uint8Array(payload)) - payload
}
