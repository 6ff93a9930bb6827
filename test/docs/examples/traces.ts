/** Examples of `debug_*` and `trace_*`. */
import { ZERO_WORD } from '../reference/exampleChain.ts'
import { after, type Example, type Examples, given, NONE, readOnly } from './example.ts'

const CALLS = { tracer: 'callTracer' }
const RAW_BLOCK: Example = {
  before: async (call) => [(await call('debug_getRawBlock', '0x2')).result, CALLS],
  note: 'With the encoding of block 2, as `debug_getRawBlock` returns it.',
}

export const repairs: Examples = {
  debug_batchSendRawTransaction: given(({ rawTransaction }) => [rawTransaction]),
  debug_replayBlock: given(['0x3']),
  debug_resyncWorldstate: NONE,
  debug_setHead: given(['0x3']),
  debug_subscribe: { ...given(['traceChain', '0x1', '0x3', CALLS]), note: 'Over WebSocket only.' },
  debug_unsubscribe: {
    ...after('debug_subscribe', () => ['traceChain', '0x1', '0x3', CALLS]),
    note: 'Over WebSocket only, after `debug_subscribe`.',
  },
}

export const traces: Examples = readOnly({
  debug_accountAt: given(({ blockHash, token }) => [blockHash, 0, token]),
  debug_accountRange: given(['0x3', 0, ZERO_WORD, 2]),
  debug_codeByHash: {
    before: async (call, { token }) => {
      const { result } = await call('eth_getProof', token, [], '0x3')
      return [(result as { readonly codeHash: string }).codeHash]
    },
    note: 'With the hash of the code of the token, as `eth_getProof` returns it.',
  },
  debug_dumpBlock: given(['0x3']),
  debug_findStep: given(({ transactions }) => [transactions[3], { where: { write: true } }]),
  debug_getBadBlocks: NONE,
  debug_metrics: { note: 'While metrics are off.' },
  debug_getRawBlock: given(['0x3']),
  debug_getRawHeader: given(['0x3']),
  debug_getRawReceipts: given(['0x3']),
  debug_getRawTransaction: given(({ transactions }) => [transactions[1]]),
  debug_standardTraceBadBlockToFile: {
    ...given(({ blockHash }) => [blockHash]),
    note: 'The node has not rejected a block with this hash.',
  },
  debug_standardTraceBlockToFile: given(({ blockHash }) => [blockHash]),
  debug_storageRangeAt: given(({ blockHash, token }) => [blockHash, 0, token, ZERO_WORD, 2]),
  debug_traceBlock: RAW_BLOCK,
  debug_traceBlockByHash: given(({ blockHash }) => [blockHash, CALLS]),
  debug_traceBlockByNumber: given(['0x3', CALLS]),
  debug_traceCall: given(({ token, balanceData }) => [{ to: token, data: balanceData }, 'latest', CALLS]),
  debug_traceCallMany: given(({ alice, token, transferData }) => [
    [{ transactions: [{ from: alice, to: token, data: transferData }] }],
    { blockNumber: 'latest' },
    CALLS,
  ]),
  debug_traceSteps: given(({ transactions }) => [transactions[3], { from: 2, count: 2, storage: true }]),
  debug_traceTransaction: given(({ transactions }) => [transactions[3], CALLS]),
  trace_block: given(['0x2']),
  trace_call: given(({ alice, token, balanceData }) => [
    { from: alice, to: token, gasPrice: '0x77359400', data: balanceData },
    ['trace'],
    'latest',
  ]),
  trace_callMany: given(({ alice, token, balanceData }) => [
    [[{ from: alice, to: token, gasPrice: '0x77359400', data: balanceData }, ['trace']]],
    'latest',
  ]),
  trace_filter: given(({ bob }) => [{ fromBlock: '0x1', toBlock: '0x3', toAddress: [bob] }]),
  trace_get: given(({ transactions }) => [transactions[1], ['0x0']]),
  trace_rawTransaction: given(({ rawTransaction }) => [rawTransaction, ['trace']]),
  trace_replayBlockTransactions: given(['0x2', ['stateDiff']]),
  trace_replayTransaction: given(({ transactions }) => [transactions[1], ['trace']]),
  trace_transaction: given(({ transactions }) => [transactions[2]]),
})
