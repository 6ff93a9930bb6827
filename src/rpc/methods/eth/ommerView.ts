import type { BlockView } from '../../../api/viewTypes.ts'
import { encodedLength } from '../../../rlp/rlp.ts'
import type { Header } from '../../../types/block.ts'
import { encodeHeader, hashHeader } from '../../../types/headerCodec.ts'

/** Two empty lists in a block's RLP: transactions and ommers. */
const EMPTY_BODY_BYTES = 2

/** An ommer shown as a block: no transactions, no total difficulty, the size of the header with an empty body. */
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

/** Bytes of the RLP list prefix before `payload` bytes. */
function listPrefixLength(payload: number): number {
  return encodedLength(new Uint8Array(payload)) - payload
}
