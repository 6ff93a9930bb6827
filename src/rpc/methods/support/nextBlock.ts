/**
 * The block that an estimate is for, unless the request names one.
 * @module
 */
import { type BlockNumberOrTag, LATEST } from '../../../api/blockReference.ts'
import { type BlockOverrides, NO_BLOCK_OVERRIDES } from '../../../api/calls/overrides.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { DevChain } from '../../../dev/contract.ts'
import type { PendingSource } from '../../../sealing/contract.ts'
import type { PoolReader } from '../../../txpool/contract.ts'

export interface EstimateBackend {
  readonly chain: ChainReader
  readonly dev?: DevChain | undefined
  readonly pool?: Pick<PoolReader, 'size'> | undefined
  readonly pending?: PendingSource | undefined
}

interface EstimatedBlock {
  readonly block: BlockNumberOrTag
  readonly blockOverrides: BlockOverrides | undefined
}

const PENDING: BlockNumberOrTag = { kind: 'tag', tag: 'pending' }

/**
 * On a dev chain the next block, whose time tests set before they send; elsewhere the head. While transactions wait, it is
 * the pending block; otherwise the head with the next number and time, because building a block takes longer than a call.
 */
export function estimatedBlock(
  { chain, dev, pool, pending }: EstimateBackend,
  blockOverrides?: BlockOverrides,
): EstimatedBlock {
  if (dev === undefined) return { block: LATEST, blockOverrides }
  const waits = pool !== undefined && pool.size > 0 && !dev.mining.automine
  if (waits && pending !== undefined) return { block: PENDING, blockOverrides }
  const { number = chain.head.header.number + 1n, time = dev.time.next } = blockOverrides ?? NO_BLOCK_OVERRIDES
  return { block: LATEST, blockOverrides: { ...NO_BLOCK_OVERRIDES, ...blockOverrides, number, time } }
}

export function isPending(block: BlockNumberOrTag): boolean {
  return block.kind === 'tag' && block.tag === 'pending'
}
