import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
}

/** Data are complete from the first block on. */
const COMPLETE = { disabled: false, oldestBlock: '0x0' }

const capabilitiesResult = answerCodec<ChainHeader>(
  {
    title: 'Capabilities',
    type: 'object',
    required: ['head', 'state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'],
  },
  ({ header, hash }) => ({
    head: { number: quantity(header.number), hash: bytesToHex(hash) },
    state: COMPLETE,
    tx: COMPLETE,
    logs: { ...COMPLETE, deleteStrategy: { type: 'none' } },
    receipts: COMPLETE,
    blocks: COMPLETE,
    stateproofs: COMPLETE,
  }),
)

export const capabilities: MethodDefinition<Backend> = defineMethod({
  name: 'eth_capabilities',
  group: 'ETH',
  summary: 'First available block of blocks, transactions, receipts, logs, state and proofs.',
  params: [],
  result: result('capabilities', capabilitiesResult),
  handler: ({ chain }: Backend) => chain.head,
})
