import type { BlockView, MinedTransaction } from '../../../api/viewTypes.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import type { BadBlock, ChainReader } from '../../../chain/contract.ts'
import { decodeBlock } from '../../../types/blockCodec.ts'
import { hashHeader } from '../../../types/headerCodec.ts'
import { transactionHash, transactionSender } from '../../../types/transactionCodec.ts'
import { serializeBlock } from '../../codecs/block.ts'
import { answerCodec, arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
}

/** Shown as the sender of a transaction with an invalid signature. */
const NO_SENDER = new Uint8Array(20)

function blockOf({ hash, rlp }: BadBlock): BlockView {
  const block = decodeBlock(rlp)
  const { header } = block
  const transactions = block.transactions.map(
    (transaction, index): MinedTransaction => ({
      transaction,
      hash: transactionHash(transaction),
      from: transactionSender(transaction) ?? NO_SENDER,
      blockHash: hash,
      blockNumber: header.number,
      index,
      baseFeePerGas: header.baseFeePerGas,
    }),
  )
  return {
    header,
    hash,
    totalDifficulty: header.difficulty,
    size: rlp.length,
    transactions,
    ommerHashes: block.ommers.map(hashHeader),
    withdrawals: block.withdrawals,
  }
}

const badBlock = answerCodec<BadBlock>(
  { title: 'Bad block', type: 'object', required: ['block', 'hash', 'rlp'] },
  (entry) => ({
    block: serializeBlock(blockOf(entry)),
    hash: bytesToHex(entry.hash),
    rlp: bytesToHex(entry.rlp),
  }),
)

export const getBadBlocks: MethodDefinition<Backend> = defineMethod({
  name: 'debug_getBadBlocks',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Recently rejected blocks, newest first.',
  params: [],
  result: result('blocks', arrayOf(badBlock)),
  handler: ({ chain }: Backend) => chain.badBlocks(),
})
