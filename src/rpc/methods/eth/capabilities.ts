import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
}

const capabilitiesResult = answerCodec<Pick<ChainReader, 'genesis' | 'head'>>(
  {
    title: 'Capabilities',
    type: 'object',
    required: ['head', 'state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'],
  },
  ({ genesis, head: { header, hash } }) => {
    // Data are complete from the first block on.
    const complete = { disabled: false, oldestBlock: quantity(genesis.header.number) }
    return {
      head: { number: quantity(header.number), hash: bytesToHex(hash) },
      state: complete,
      tx: complete,
      logs: { ...complete, deleteStrategy: { type: 'none' } },
      receipts: complete,
      blocks: complete,
      stateproofs: complete,
    }
  },
)

export const capabilities: MethodDefinition<Backend> = defineMethod({
  name: 'eth_capabilities',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'First available block of blocks, transactions, receipts, logs, state and proofs.',
  params: [],
  result: result('capabilities', capabilitiesResult),
  handler: ({ chain }: Backend) => chain,
})
