/**
 * Fee history, miner data and access list results.
 * @module
 */
import { bigIntToBytesPadded, bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { AccessList } from '../../types/transaction.ts'
import type { Codec } from '../method.ts'
import { accessList } from './callObject.ts'
import { FEE_HISTORY, MINER_DATA } from './schemas.ts'
import { answerCodec } from './support.ts'

export interface FeeHistory {
  readonly oldestBlock: number
  /** wei; one more entry than blocks */
  readonly baseFeePerGas: readonly bigint[]
  readonly gasUsedRatio: readonly number[]
  /** One row per block, one column per percentile. */
  readonly reward: readonly (readonly bigint[])[] | undefined
  readonly blobs:
    | { readonly baseFeePerBlobGas: readonly bigint[]; readonly gasUsedRatio: readonly number[] }
    | undefined
}

export const feeHistoryResult: Codec<FeeHistory> = answerCodec(FEE_HISTORY, (history) => {
  const json: Record<string, unknown> = {
    oldestBlock: quantity(history.oldestBlock),
    baseFeePerGas: history.baseFeePerGas.map(quantity),
    gasUsedRatio: history.gasUsedRatio,
  }
  if (history.blobs !== undefined) {
    json['baseFeePerBlobGas'] = history.blobs.baseFeePerBlobGas.map(quantity)
    json['blobGasUsedRatio'] = history.blobs.gasUsedRatio
  }
  if (history.reward !== undefined) json['reward'] = history.reward.map((row) => row.map(quantity))
  return json
})

/** Rewards of a block and their beneficiary; amounts in wei. */
export interface MinerData {
  readonly staticReward: bigint
  readonly transactionFee: bigint
  readonly ommerInclusionReward: bigint
  readonly ommers: readonly { readonly hash: Uint8Array; readonly beneficiary: Uint8Array }[]
  readonly beneficiary: Uint8Array
  readonly extraData: Uint8Array
  readonly difficulty: bigint
  readonly totalDifficulty: bigint
}

const padded = (value: bigint): string => bytesToHex(bigIntToBytesPadded(value, 32))

export const minerData: Codec<MinerData> = answerCodec(MINER_DATA, (view) => ({
  netBlockReward: padded(view.staticReward + view.transactionFee + view.ommerInclusionReward),
  staticBlockReward: padded(view.staticReward),
  transactionFee: padded(view.transactionFee),
  uncleInclusionReward: padded(view.ommerInclusionReward),
  uncleRewards: view.ommers.map((ommer) => ({
    hash: bytesToHex(ommer.hash),
    coinbase: bytesToHex(ommer.beneficiary),
  })),
  coinbase: bytesToHex(view.beneficiary),
  extraData: bytesToHex(view.extraData),
  difficulty: padded(view.difficulty),
  totalDifficulty: padded(view.totalDifficulty),
}))

export interface AccessListResult {
  readonly accessList: AccessList
  readonly gasUsed: bigint
  /** Reason why the call failed; geth profile only. */
  readonly error: string | undefined
}

export const accessListResult: Codec<AccessListResult> = answerCodec(
  { title: 'Access list result', type: 'object', required: ['accessList', 'gasUsed'] },
  (view) => ({
    accessList: accessList.serialize(view.accessList),
    gasUsed: quantity(view.gasUsed),
    ...(view.error === undefined ? {} : { error: view.error }),
  }),
)
