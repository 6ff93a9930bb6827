import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { BlockHasher } from '../../../src/chain/engine.ts'
import { devChainRecord, type GenesisJson } from '../../../src/config/devGenesis.ts'
import { storedConfig } from '../../../src/config/storedConfig.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { encodeHeader } from '../../../src/types/headerCodec.ts'

const ofWholeHeader: BlockHasher = { hash: (header, encoded) => keccak256(encoded ?? encodeHeader(header)) }

/**
 * Computes the block hashes of a stored chain: with some engines, a hash covers a part of the header.
 * @param text the genesis file in the store
 */
export async function storedHasher(text: string): Promise<BlockHasher> {
  const json = JSON.parse(text) as GenesisJson
  if (devChainRecord(json) !== undefined) return ofWholeHeader
  return createSchedule(await storedConfig(text))
}
