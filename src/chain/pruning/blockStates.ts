/**
 * The states and the records of stored blocks, whether or not their states may still be read.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { equalBytes, readUint } from '../../base/primitives/bytes.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import type { StateRoot } from '../../state/contract.ts'
import type { BlockId } from '../../state/stateDiff.ts'
import { Column, keys, numberedKey } from '../../storage/schema.ts'
import { decodeHeader } from '../../types/headerCodec.ts'
import { decodeBlockRecord } from '../blockRecord.ts'
import { decodeDevAmendment } from '../devAmendment.ts'

const HEADERS = Uint8Array.of(Column.header)
const VERSION_BYTES = 6
/** Headers that are read together. */
const PAGE = 256

/** Every state that a stored block has had: the sealed one and those after its amendments (dev chain). */
export function statesOf(reader: KeyValueReader, { number, hash }: BlockId): StateRoot[] {
  const [rlp, recordBytes, amendment] = reader.getMany([
    keys.header(number, hash),
    keys.blockRecord(number, hash),
    keys.devAmendment(number, hash),
  ])
  if (rlp === undefined || recordBytes === undefined) return []
  const { stateVersion, isBaseState } = decodeBlockRecord(recordBytes)
  if (stateVersion === undefined && isBaseState !== true) return []
  const states: StateRoot[] = []
  // Of the state of another chain, nothing is stored.
  if (stateVersion !== undefined && isBaseState !== true) {
    states.push({ hash: decodeHeader(rlpDecode(rlp)).stateRoot, version: stateVersion })
  }
  const amended = amendment === undefined ? undefined : decodeDevAmendment(amendment).stateRoot
  if (amended !== undefined) states.push(amended)
  for (const [key, root] of reader.range({ prefix: keys.amendedStatesOf(number, hash) })) {
    states.push({ hash: root, version: readUint(key, key.length - VERSION_BYTES, VERSION_BYTES) })
  }
  return states
}

/** The stored blocks from one height to another on any branch, ascending. */
export function storedBlocks(reader: KeyValueReader, from: number, to: number): BlockId[] {
  const found: BlockId[] = []
  let next = keys.headersAt(from)
  for (;;) {
    let count = 0
    for (const [key] of reader.range({ prefix: HEADERS, from: next, limit: PAGE })) {
      const block = numberedKey(key)
      if (block.number > to) return found
      found.push(block)
      count++
      next = key
    }
    if (count < PAGE) return found
    // The next page begins with the last key of this one.
    found.pop()
  }
}

/** The stored blocks of a height whose parent is one of the given blocks. */
export function childrenOf(reader: KeyValueReader, parents: readonly BlockId[], number: number): BlockId[] {
  return storedBlocks(reader, number, number).filter(({ hash }) => {
    const rlp = reader.get(keys.header(number, hash))
    if (rlp === undefined) return false
    const { parentHash } = decodeHeader(rlpDecode(rlp))
    return parents.some((parent) => equalBytes(parent.hash, parentHash))
  })
}

/** Keys of all records of a block that is deleted as a whole. */
export function recordKeys(reader: KeyValueReader, block: BlockId): Uint8Array[] {
  const { number, hash } = block
  return [
    keys.header(number, hash),
    keys.body(number, hash),
    keys.receipts(number, hash),
    keys.senders(number, hash),
    keys.blockRecord(number, hash),
    keys.blockTerms(number, hash),
    keys.devAmendment(number, hash),
    keys.numberByHash(hash),
    ...stateRecordKeys(reader, block),
  ]
}

/** Keys of the records that only readers of a block's state need. */
export function stateRecordKeys(reader: KeyValueReader, { number, hash }: BlockId): Uint8Array[] {
  const replaced = Array.from(reader.range({ prefix: keys.amendedStatesOf(number, hash) }), ([key]) => key)
  return [keys.stateDiff(number, hash), ...replaced]
}
