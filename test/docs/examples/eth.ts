/** Examples of `eth_*`, and of methods of this project that belong to the same group. */
import { ZERO_WORD } from '../reference/exampleChain.ts'
import { after, type Examples, given, NONE, readOnly } from './example.ts'

const TYPED_DATA = {
  domain: { name: 'Example', version: '1', chainId: 1 },
  primaryType: 'Mail',
  types: { Mail: [{ name: 'contents', type: 'string' }] },
  message: { contents: 'Hello' },
}
const ONE_ETHER = '0xde0b6b3a7640000'
const HELLO = '0x68656c6c6f'

const NO_WORK = 'The dev chain does not use proof of work.'

export const reads: Examples = readOnly({
  eth_accounts: NONE,
  eth_baseFee: NONE,
  eth_blobBaseFee: NONE,
  eth_blockNumber: NONE,
  eth_call: given(({ token, balanceData }) => [{ to: token, data: balanceData }, 'latest']),
  eth_capabilities: NONE,
  eth_chainId: NONE,
  eth_coinbase: NONE,
  eth_config: NONE,
  eth_createAccessList: given(({ alice, token, transferData }) => [{ from: alice, to: token, data: transferData }]),
  eth_estimateGas: given(({ alice, token, transferData }) => [{ from: alice, to: token, data: transferData }]),
  eth_feeHistory: given(['0x2', 'latest', [50]]),
  eth_gasPrice: NONE,
  eth_getAccount: given(({ token }) => [token, 'latest']),
  eth_getAccountInfo: given(({ bob }) => [bob, 'latest']),
  eth_getBalance: given(({ bob }) => [bob, 'latest']),
  eth_getBlockByHash: given(({ blockHash }) => [blockHash, false]),
  eth_getBlockByNumber: given(['0x2', true]),
  eth_getBlockReceipts: given(['0x2']),
  eth_getBlockTransactionCountByHash: given(({ blockHash }) => [blockHash]),
  eth_getBlockTransactionCountByNumber: given(['0x3']),
  eth_getCode: given(({ token }) => [token, 'latest']),
  eth_getHeaderByHash: given(({ blockHash }) => [blockHash]),
  eth_getHeaderByNumber: given(['0x3']),
  eth_getLogs: given(({ token, transferTopic }) => [
    { fromBlock: '0x2', toBlock: 'latest', address: token, topics: [transferTopic] },
  ]),
  eth_getMinerDataByBlockHash: given(({ blockHash }) => [blockHash]),
  eth_getMinerDataByBlockNumber: given(['0x3']),
  eth_getProof: given(({ token }) => [token, [ZERO_WORD], 'latest']),
  eth_getRawTransactionByBlockHashAndIndex: given(({ blockHash }) => [blockHash, '0x0']),
  eth_getRawTransactionByBlockNumberAndIndex: given(['0x2', '0x0']),
  eth_getRawTransactionByHash: given(({ transactions }) => [transactions[1]]),
  eth_getStorageAt: given(({ token }) => [token, '0x0', 'latest']),
  eth_getStorageValues: given(({ token }) => [{ [token]: [ZERO_WORD] }, 'latest']),
  eth_getTransactionByBlockHashAndIndex: given(({ blockHash }) => [blockHash, '0x0']),
  eth_getTransactionByBlockNumberAndIndex: given(['0x2', '0x0']),
  eth_getTransactionByHash: given(({ transactions }) => [transactions[1]]),
  eth_getTransactionBySenderAndNonce: given(({ alice }) => [alice, '0x1']),
  eth_getTransactionCount: given(({ alice }) => [alice, 'latest']),
  eth_getTransactionReceipt: given(({ transactions }) => [transactions[2]]),
  eth_getUncleByBlockHashAndIndex: {
    ...given(({ blockHash }) => [blockHash, '0x0']),
    note: 'The block has no uncles.',
  },
  eth_getUncleByBlockNumberAndIndex: { ...given(['0x3', '0x0']), note: 'The block has no uncles.' },
  eth_getUncleCountByBlockHash: given(({ blockHash }) => [blockHash]),
  eth_getUncleCountByBlockNumber: given(['0x3']),
  eth_getWork: { note: NO_WORK },
  eth_hashrate: NONE,
  eth_maxPriorityFeePerGas: NONE,
  eth_mining: NONE,
  eth_protocolVersion: NONE,
  eth_simulateV1: given(({ alice, bob }) => [
    { blockStateCalls: [{ calls: [{ from: alice, to: bob, value: '0x1' }] }], traceTransfers: true },
    'latest',
  ]),
  eth_submitHashrate: {
    ...given(['0x01f4', '0x59daa26581d0acd1fce254fb7e85952f4c09d0915afd33d3886cd914bc7d283c']),
    note: 'Only under proof of work the rate is stored.',
  },
  eth_submitWork: {
    ...given(({ blockHash }) => ['0x0000000000000001', blockHash, blockHash]),
    note: NO_WORK,
  },
  eth_syncing: NONE,
  isonode_callWitness: given(({ alice, bob }) => [{ from: alice, to: bob, value: '0x1' }, 'latest']),
})

export const feeds: Examples = {
  eth_getFilterChanges: {
    before: async (call, { alice, bob }) => {
      const { result } = await call('eth_newBlockFilter')
      await call('eth_sendTransaction', { from: alice, to: bob, gas: '0x5208', maxFeePerGas: '0x77359400' })
      return [result]
    },
    note: 'After `eth_newBlockFilter` and one transaction.',
  },
  eth_getFilterLogs: {
    ...after('eth_newFilter', ({ token }) => [{ fromBlock: '0x3', address: token }]),
    note: 'After `eth_newFilter` with `{ "fromBlock": "0x3" }` and the address of a token.',
  },
  eth_newBlockFilter: NONE,
  eth_newFilter: given(({ token, transferTopic }) => [{ address: token, topics: [transferTopic] }]),
  eth_newPendingTransactionFilter: NONE,
  eth_subscribe: { ...given(['newHeads']), note: 'Over WebSocket only.' },
  eth_uninstallFilter: { ...after('eth_newBlockFilter'), note: 'After `eth_newBlockFilter`.' },
  eth_unsubscribe: {
    ...after('eth_subscribe', () => ['newHeads']),
    note: 'Over WebSocket only, after `eth_subscribe`.',
  },
}

export const transactions: Examples = {
  eth_fillTransaction: given(({ alice, bob }) => [{ from: alice, to: bob, value: ONE_ETHER }]),
  eth_sendRawTransaction: given(({ rawTransaction }) => [rawTransaction]),
  eth_sendRawTransactionSync: given(({ rawTransaction }) => [rawTransaction]),
  eth_sendTransaction: given(({ alice, bob }) => [{ from: alice, to: bob, value: ONE_ETHER }]),
  eth_sendTransactionSync: given(({ alice, bob }) => [{ from: alice, to: bob, value: ONE_ETHER }]),
  eth_sendUnsignedTransaction: {
    ...given(({ bob, token }) => [{ from: token, to: bob, gas: '0x5208' }]),
    before: async (call, { token }) => {
      await call('anvil_setBalance', token, ONE_ETHER)
      return undefined
    },
    note: 'After `anvil_setBalance` for the sender, which is a contract.',
  },
  eth_sign: given(({ alice }) => [alice, HELLO]),
  eth_signTransaction: given(({ alice, bob }) => [{ from: alice, to: bob, value: ONE_ETHER }]),
  eth_signTypedData_v4: given(({ alice }) => [alice, TYPED_DATA]),
}
