/**
 * Blocks that the chain of a peer must contain.
 * @see docs/reference/p2p.md section 5
 * @module
 */

import { equalBytes } from '../../base/primitives/bytes.ts'
import type { BlockHasher } from '../../chain/engine.ts'
import { DAO_EXTRA_DATA } from '../../chain/validation/headerRules.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { EncodedHeader } from '../protocols/eth/messages.ts'

/** --required-blocks */
export interface RequiredBlock {
  readonly number: bigint
  /** 32 bytes */
  readonly hash: Uint8Array
}

export interface RequiredHeader {
  readonly number: bigint
  /** Whether the peer's block of this number is the required one. */
  accepts(header: EncodedHeader): boolean
}

/** Confirmations that a required block must have before the peer is asked for it: a shorter chain may still change. */
const MIN_BLOCKS_ABOVE = 10n

export function requiredHeaders(
  { options }: ChainConfig,
  requiredBlocks: readonly RequiredBlock[],
  hasher: BlockHasher,
): readonly RequiredHeader[] {
  const { daoForkBlock, requiredBlock } = options
  const blocks = requiredBlock === undefined ? requiredBlocks : [...requiredBlocks, requiredBlock]
  const headers = blocks.map(({ number, hash }) => ({
    number,
    accepts: ({ header, encoding }: EncodedHeader) => equalBytes(hasher.hash(header, encoding), hash),
  }))
  if (daoForkBlock === undefined || daoForkBlock === 0n) return headers
  const dao = {
    number: daoForkBlock,
    accepts: ({ header }: EncodedHeader) => equalBytes(header.extraData, DAO_EXTRA_DATA),
  }
  return [...headers, dao]
}

/** @param height block number of the peer's head */
export function isDue({ number }: RequiredHeader, height: bigint): boolean {
  return height >= number + MIN_BLOCKS_ABOVE
}
