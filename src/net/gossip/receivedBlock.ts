import { MAX_BLOCK_LIST_ITEMS } from '../../base/limits/limits.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { BlockHasher, ConsensusSchedule } from '../../chain/engine.ts'
import type { EncodedBlock } from '../../chain/preparedBlock.ts'
import { checkForm, checkItemCount, gasFault } from '../../chain/validation/bodyForm.ts'
import { validateBody } from '../../chain/validation/bodyRules.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { Header } from '../../types/block.ts'
import { type BlockEncodings, decodeBlock, splitBlock } from '../../types/blockCodec.ts'

/** A block from a peer: only its header is decoded. */
export interface UnreadBlock {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
  /** Views into `rlp`. */
  readonly encodings: BlockEncodings
  /** Hash of the header with its seal, as a map key: block hashes of BFT chains leave out parts of the seal. */
  readonly id: string
}

/** A decoded block from a peer. */
export interface ReceivedBlock extends EncodedBlock {
  readonly id: string
}

/**
 * @param rlp of a block with this header
 * @throws {NodeError} INVALID_BLOCK_ENCODING, INVALID_PROTOCOL_MESSAGE
 */
export function readBlock(rlp: Uint8Array, header: Header, hasher: BlockHasher): UnreadBlock {
  const encodings = splitBlock(rlp, MAX_BLOCK_LIST_ITEMS)
  checkForm(encodings)
  return { header, hash: hasher.hash(header, encodings.header), rlp, encodings, id: blockId(encodings.header) }
}

/** @param header RLP */
export function blockId(header: Uint8Array): string {
  return keyToText(keccak256(header))
}

/**
 * Decodes the body, after its roots were compared with the header.
 * @returns the block, or why the body does not belong to the header
 * @throws {NodeError} the code of the malformed part
 */
export function completed(unread: UnreadBlock, config: ChainConfig): ReceivedBlock | string {
  const { header, hash, rlp, encodings, id } = unread
  const fault = gasFault(encodings, header.gasUsed) ?? validateBody(unread, header, config.rulesAt(header))
  if (fault !== undefined) return fault
  checkItemCount(rlp)
  return { block: decodeBlock(rlp), hash, rlp, encodings, id, hasValidBody: true }
}

/** Whether blocks of this kind are announced: those of proof of stake come from the consensus client. */
export function isAnnounced(header: Header, consensus: ConsensusSchedule): boolean {
  return consensus.claimedBy(header).finality !== 'forkChoice'
}
