/**
 * Block rewards, as entries that follow those of the transactions.
 * @see docs/reference/debug-and-trace.md section 7
 * @module
 */

import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { ConsensusEngine } from '../../chain/engine.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { Block } from '../../types/block.ts'
import { blockMembers } from './flatTraceText.ts'

/** @returns JSON texts: one for the block, even without a reward, and one for each ommer */
export function rewardTraces(
  block: Pick<Block, 'header' | 'ommers'>,
  blockHash: Uint8Array,
  engine: ConsensusEngine,
  rules: ForkRules,
): readonly string[] {
  const { header, ommers } = block
  const { staticReward, ommerInclusionReward, ommerRewards } = engine.rewards(block, rules)
  const place = blockMembers({ blockHash, blockNumber: header.number })
  const entry = (author: Uint8Array, rewardType: string, value: bigint): string =>
    `{"action":{"author":"${bytesToHex(author)}","rewardType":"${rewardType}","value":"${quantity(value)}"}${place}` +
    ',"result":null,"subtraces":0,"traceAddress":[],"transactionHash":null,"transactionPosition":null,"type":"reward"}'
  return [
    entry(engine.author(header), 'block', staticReward + ommerInclusionReward),
    ...ommers.map((ommer, index) => entry(engine.author(ommer), 'uncle', ommerRewards[index] ?? 0n)),
  ]
}
