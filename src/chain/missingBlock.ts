import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { keys } from '../storage/schema.ts'
import { corrupt, decodeNumber } from './blockRecord.ts'

/**
 * For a number without a hash in the canonical index: only those above the head and below the genesis block have none.
 * @throws {NodeError} STORE_DAMAGED
 */
export function requireNoBlock(reader: KeyValueReader, number: number): void {
  const [head, genesis] = reader.getMany([keys.meta('head'), keys.meta('genesisHash')])
  if (head === undefined || genesis === undefined) return
  const [last, first] = reader.getMany([keys.numberByHash(head), keys.numberByHash(genesis)])
  if (last === undefined || first === undefined) throw corrupt(`block ${bytesToHex(head)} is missing`)
  if (number >= decodeNumber(first) && number <= decodeNumber(last)) {
    throw corrupt(`block ${number} is not in the canonical index`)
  }
}
