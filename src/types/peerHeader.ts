import { MAX_HEADER_BYTES } from '../base/limits/limits.ts'
import type { Header } from './block.ts'
import { type EncodedKind, encodingError } from './fieldReader.ts'
import { decodeHeader } from './headerCodec.ts'
import { ItemBudget } from './wireReader.ts'

/**
 * Decodes a header that a peer has sent. Its length and its items are counted first.
 * @param encoding RLP
 * @param kind of the message
 * @throws {NodeError} the code of the kind, INVALID_HEADER_ENCODING
 */
export function decodePeerHeader(
  encoding: Uint8Array,
  kind: EncodedKind,
  budget: ItemBudget = new ItemBudget(kind),
): Header {
  // Each of many steps would hash all of it.
  if (encoding.length > MAX_HEADER_BYTES) throw encodingError(kind, `a header of ${encoding.length} bytes`)
  budget.take(encoding)
  return decodeHeader(encoding)
}
