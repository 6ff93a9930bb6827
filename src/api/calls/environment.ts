/**
 * The block of a simulated call: a stored one with the client's overrides.
 * @module
 */

import { storedAncestorHashes } from '../../chain/ancestorHashes.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { BlockEnvironment } from '../../evm/evm.ts'
import type { SimulatedBlock } from './contract.ts'
import type { BlockOverrides } from './overrides.ts'

function noAncestors(): undefined {
  return undefined
}

export interface CallBlockSources {
  readonly chain: ChainReader
  readonly consensus: ConsensusSchedule
}

/** Blocks without overrides: most calls use the same one, and the EVM recognizes a repeated environment. */
const plainBlocks = new WeakMap<ChainHeader, SimulatedBlock>()
/** Keyed by the block with its base fee. */
const freeBlocks = new WeakMap<SimulatedBlock, SimulatedBlock>()

/** Environment of a call on top of the state of `stored`: that block itself, not its successor. */
export function callBlock(
  sources: CallBlockSources,
  stored: ChainHeader,
  overrides: BlockOverrides | undefined,
): SimulatedBlock {
  if (overrides !== undefined) return blockOf(sources, stored, overrides)
  let block = plainBlocks.get(stored)
  if (block === undefined) {
    block = blockOf(sources, stored, undefined)
    plainBlocks.set(stored, block)
  }
  return block
}

function blockOf(
  { chain, consensus }: CallBlockSources,
  stored: ChainHeader,
  overrides: BlockOverrides | undefined,
): SimulatedBlock {
  const { header } = stored
  const number = overrides?.number ?? header.number
  const timestamp = overrides?.time ?? header.timestamp
  const difficulty = overrides?.difficulty ?? header.difficulty
  const environment: BlockEnvironment = {
    number,
    timestamp,
    beneficiary: overrides?.feeRecipient ?? consensus.claimedBy(header).author(header),
    gasLimit: overrides?.gasLimit ?? header.gasLimit,
    difficulty,
    prevRandao: overrides?.prevRandao ?? header.mixHash,
    baseFeePerGas: overrides?.baseFeePerGas ?? header.baseFeePerGas,
    excessBlobGas: header.excessBlobGas,
    dev: stored.dev,
    ...(overrides?.blobBaseFee === undefined ? {} : { blobBaseFee: overrides.blobBaseFee }),
    blockHash: lazyAncestors(chain, stored, number),
  }
  return { rules: chain.config.rulesAt({ number, timestamp, difficulty }), environment }
}

/** Few calls read the hash of a block, and the parent may be far away. */
function lazyAncestors(chain: ChainReader, stored: ChainHeader, number: bigint): BlockEnvironment['blockHash'] {
  let hashes: BlockEnvironment['blockHash'] | undefined
  return (ancestor) => {
    hashes ??= ancestorsOf(chain, stored, number)
    return hashes(ancestor)
  }
}

function ancestorsOf(chain: ChainReader, stored: ChainHeader, number: bigint): BlockEnvironment['blockHash'] {
  const parent = chain.parentOf(stored)
  if (parent === undefined) return noAncestors
  return storedAncestorHashes(chain, number === stored.header.number ? parent : stored)
}

/** The same block with base fee 0, which BASEFEE returns in a call without fees. */
export function withoutBaseFee(block: SimulatedBlock): SimulatedBlock {
  const { environment, rules } = block
  if (environment.baseFeePerGas === undefined) return block
  let free = freeBlocks.get(block)
  if (free === undefined) {
    free = { rules, environment: { ...environment, baseFeePerGas: 0n } }
    freeBlocks.set(block, free)
  }
  return free
}
