/**
 * Properties of the block after a stored one that are known in advance.
 * @module
 */

import type { ChainConfig } from '../config/chainConfig.ts'
import type { ForkRules } from '../config/forks.ts'
import type { Header } from '../types/block.ts'
import type { ChainHeader } from './contract.ts'
import type { ConsensusSchedule } from './engine.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from './fees.ts'

/** Rules of the block after `parent`, assuming it is one second later. */
export function nextRules(config: ChainConfig, parent: Header): ForkRules {
  const { number, timestamp, difficulty } = parent
  return config.rulesAt({ number: number + 1n, timestamp: timestamp + 1n, difficulty })
}

/**
 * Whether only a consensus client knows the blocks on top of a block: under proof of stake, a block does not show who
 * made it.
 */
export function needsConsensusClient(
  { header, totalDifficulty }: Pick<ChainHeader, 'header' | 'totalDifficulty'>,
  consensus: Pick<ConsensusSchedule, 'nextBlock'>,
): boolean {
  const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
  return consensus.nextBlock(next, totalDifficulty).engine.finality === 'forkChoice'
}

/** Chain id of calls on a block and of its children: a dev chain may have changed it. */
export function chainIdAfter(config: ChainConfig, { dev }: Pick<ChainHeader, 'dev'>): bigint {
  return dev?.chainId ?? config.chainId
}

/** undefined before London. */
export function nextBaseFeeOf(config: ChainConfig, parent: Header): bigint | undefined {
  return nextBaseFee(parent, nextRules(config, parent), config)
}

/** undefined before Cancun. */
export function nextBlobBaseFeeOf(config: ChainConfig, parent: Header): bigint | undefined {
  const rules = nextRules(config, parent)
  const excess = nextExcessBlobGas(parent, rules)
  return excess === undefined || rules.blobs === undefined ? undefined : blobBaseFee(excess, rules.blobs)
}
