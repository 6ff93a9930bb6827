/**
 * Blocks of a chain in the form that validators agree on.
 * @module
 */

import { MAX_BLOCK_LIST_ITEMS } from '../../base/limits/limits.ts'
import type { NodeError } from '../../base/primitives/errors.ts'
import { checkForm, checkItemCount, gasFault } from '../../chain/validation/bodyForm.ts'
import { bodyRoots, checkRoots } from '../../chain/validation/bodyRules.ts'
import { decodeExtraData } from '../../consensus/bft/extraData.ts'
import type { BftFlavour } from '../../consensus/bft/flavour.ts'
import { bftBlockHash, commitSealHash, withRound, withSeals } from '../../consensus/bft/hashes.ts'
import type { BlockDecoder } from '../../consensus/bft/messages/codec.ts'
import { MESSAGE } from '../../consensus/bft/messages/fields.ts'
import type { BftBlock } from '../../consensus/bft/messages/payloads.ts'
import type { Block } from '../../types/block.ts'
import { decodeBlock, encodeBlock, replaceHeader, splitBlock } from '../../types/blockCodec.ts'
import { encodingError } from '../../types/fieldReader.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import { decodePeerHeader } from '../../types/peerHeader.ts'

/** A header and the body that it names: nothing else can be decoded, so a digest stands for the whole block. */
export interface ChainBlock extends BftBlock {
  readonly block: Block
}

export class ChainBlocks implements BlockDecoder {
  readonly #flavour: BftFlavour

  constructor(flavour: BftFlavour) {
    this.#flavour = flavour
  }

  /**
   * @throws {NodeError} INVALID_BFT_MESSAGE when the body is not the one that the header names, or the block has seals; the
   *   code of a malformed part
   */
  decode(encoded: Uint8Array): ChainBlock {
    const encodings = splitBlock(encoded, MAX_BLOCK_LIST_ITEMS)
    const header = decodePeerHeader(encodings.header, MESSAGE)
    checkForm(encodings)
    const problem = gasFault(encodings, header.gasUsed) ?? checkRoots(bodyRoots(encodings), header)
    if (problem !== undefined) throw invalid(`its block has another body: ${problem}`)
    checkItemCount(encoded)
    return this.of(decodeBlock(encoded), encoded)
  }

  /**
   * @param block a header and its body
   * @param encoded its RLP if available
   */
  of(block: Block, encoded: Uint8Array = encodeBlock(block)): ChainBlock {
    const { header } = block
    const extra = decodeExtraData(header.extraData, this.#flavour)
    if (extra.seals.length > 0) throw invalid('its block has seals')
    return {
      block,
      height: Number(header.number),
      round: extra.round,
      digest: commitSealHash(header, this.#flavour, extra),
      hash: bftBlockHash(header, this.#flavour),
      beneficiary: header.beneficiary,
      encoded,
    }
  }

  /** The same block in another round. Its body is not encoded again. */
  withRound(given: BftBlock, round: number): ChainBlock {
    const { block, encoded, ...rest } = given as ChainBlock
    if (given.round === round) return given as ChainBlock
    const header = withRound(block.header, round, this.#flavour)
    return {
      ...rest,
      block: { ...block, header },
      round,
      digest: commitSealHash(header, this.#flavour),
      encoded: replaceHeader(encoded, encodeHeader(header)),
    }
  }

  /** Extra data of a block that a quorum has sealed. */
  sealed({ block, round }: ChainBlock, seals: readonly Uint8Array[]): Uint8Array {
    return withSeals(block.header, round, seals, this.#flavour).extraData
  }
}

function invalid(reason: string): NodeError {
  return encodingError(MESSAGE, reason)
}
