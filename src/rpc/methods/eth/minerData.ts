import { findHeader } from '../../../api/lookup.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { ConsensusSchedule } from '../../../chain/engine.ts'
import { effectiveGasPrice } from '../../../chain/fees.ts'
import { hashHeader } from '../../../types/headerCodec.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { type MinerData, minerData } from '../../codecs/fees.ts'
import { hash32 } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK, BLOCK_HASH } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
  readonly consensus: ConsensusSchedule
}

export const getMinerDataByBlockHash: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getMinerDataByBlockHash',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Rewards and fees of a block for its author and the authors of its ommers; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('minerData', nullable(minerData)),
  handler: (backend: Backend, [hash]) => minerDataOf(backend, backend.chain.headerByHash(hash)),
})

export const getMinerDataByBlockNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getMinerDataByBlockNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Rewards and fees of a canonical block for its author and the authors of its ommers; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK)],
  result: result('minerData', nullable(minerData)),
  errors: ['UNKNOWN_BLOCK'],
  handler: (backend: Backend, [reference]) => minerDataOf(backend, findHeader(backend.chain, reference)),
})

function minerDataOf({ chain, consensus }: Backend, stored: ChainHeader | undefined): MinerData | undefined {
  const body = stored && chain.body(stored.hash)
  const receipts = stored && chain.receipts(stored.hash)
  if (stored === undefined || body === undefined || receipts === undefined) return undefined
  const { header } = stored
  const rewards = consensus.claimedBy(header).rewards({ header, ommers: body.ommers }, chain.config.rulesAt(header))
  let transactionFee = 0n
  for (const [at, transaction] of body.transactions.entries()) {
    transactionFee += effectiveGasPrice(transaction, header.baseFeePerGas) * (receipts[at]?.gasUsed ?? 0n)
  }
  return {
    staticReward: rewards.staticReward,
    transactionFee,
    ommerInclusionReward: rewards.ommerInclusionReward,
    ommers: body.ommers.map((ommer) => ({ hash: hashHeader(ommer), beneficiary: ommer.beneficiary })),
    beneficiary: header.beneficiary,
    extraData: header.extraData,
    difficulty: header.difficulty,
    totalDifficulty: stored.totalDifficulty,
  }
}
