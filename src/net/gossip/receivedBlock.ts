import { keccak256 } from '../../base/primitives/keccak.ts'
import type { BlockHasher, ConsensusSchedule } from '../../chain/engine.ts'
import { type EncodedBlock, encodedBlock } from '../../chain/preparedBlock.ts'
import { validateBody } from '../../chain/validation/bodyRules.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { Header } from '../../types/block.ts'
import { decodeBlock } from '../../types/blockCodec.ts'

/** A decoded block from a peer. */
export interface ReceivedBlock extends EncodedBlock {
  /** Hash of the header with its seal, as a map key: block hashes of BFT chains leave out parts of the seal. */
  readonly id: string
}

/**
 * @param rlp of a block
 * @throws {NodeError} the code of the malformed part
 */
export function readBlock(rlp: Uint8Array, hasher: BlockHasher): ReceivedBlock {
  const block = encodedBlock(decodeBlock(rlp), hasher, rlp)
  return { ...block, id: blockId(block.encodings.header) }
}

/** @param header RLP */
export function blockId(header: Uint8Array): string {
  return keyToText(keccak256(header))
}

/** @returns why the body does not belong to the header; undefined when it does */
export function bodyFault(block: EncodedBlock, config: ChainConfig): string | undefined {
  if (block.hasValidBody === true) return undefined
  return validateBody(block, config.rulesAt(block.block.header))
}

/** Whether blocks of this kind are announced: those of proof of stake come from the consensus client. */
export function isAnnounced(header: Header, consensus: ConsensusSchedule): boolean {
  return consensus.claimedBy(header).finality !== 'forkChoice'
}
