import { requireHeader } from '../../../api/lookup.ts'
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import { encodeBlock } from '../../../types/blockCodec.ts'
import { encodeHeader } from '../../../types/headerCodec.ts'
import { encodeReceipt } from '../../../types/receiptCodec.ts'
import { encodeTransaction } from '../../../types/transactionCodec.ts'
import { blockNumberOrTag, blockNumberOrTagOrHash, isTag } from '../../codecs/blockParameter.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { arrayOf, prefixed } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK, BLOCK_REFERENCE, TRANSACTION_HASH } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
}

interface PoolBackend extends Backend {
  readonly pool: PoolReader
}

const BLOCK_ERRORS = ['BLOCK_NOT_FOUND', 'UNKNOWN_BLOCK']

export const getRawBlock: MethodDefinition<Backend> = defineMethod({
  name: 'debug_getRawBlock',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'RLP of a block.',
  params: [param('block', blockNumberOrTag, BLOCK)],
  result: result('rlp', data),
  errors: BLOCK_ERRORS,
  handler: ({ chain }: Backend, [reference]) => {
    const { header, hash } = requireHeader(chain, reference)
    const body = chain.body(hash)
    return body === undefined ? EMPTY_BYTES : encodeBlock({ header, ...body })
  },
})

export const getRawHeader: MethodDefinition<Backend> = defineMethod({
  name: 'debug_getRawHeader',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'RLP of a header.',
  params: [param('block', blockNumberOrTag, BLOCK)],
  result: result('rlp', data),
  errors: BLOCK_ERRORS,
  handler: ({ chain }: Backend, [reference]) => encodeHeader(requireHeader(chain, reference).header),
})

export const getRawReceipts: MethodDefinition<Backend> = defineMethod({
  name: 'debug_getRawReceipts',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Encoded receipts of a block (EIP-2718).',
  params: [param('block', prefixed(blockNumberOrTagOrHash, isTag), BLOCK_REFERENCE)],
  result: result('receipts', arrayOf(data)),
  errors: [...BLOCK_ERRORS, 'JSON_RPC_NOT_CANONICAL_ERROR'],
  handler: ({ chain }: Backend, [reference]) =>
    (chain.receipts(requireHeader(chain, reference).hash) ?? []).map((receipt) => encodeReceipt(receipt)),
})

export const getRawTransaction: MethodDefinition<PoolBackend> = defineMethod({
  name: 'debug_getRawTransaction',
  group: 'DEBUG',
  answeredBy: 'main if absent',
  summary: 'Encoded transaction (EIP-2718), mined or waiting; empty when unknown.',
  params: [param('hash', prefixed(hash32), TRANSACTION_HASH)],
  result: result('transaction', data),
  handler: ({ chain, pool }: PoolBackend, [hash]) => {
    const location = chain.transactionLocation(hash)
    const mined = location && chain.body(location.blockHash)?.transactions[location.index]
    const transaction = mined ?? pool.byHash(hash)?.transaction
    return transaction === undefined ? EMPTY_BYTES : encodeTransaction(transaction)
  },
})
