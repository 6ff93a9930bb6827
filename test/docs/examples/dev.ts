/** Examples of the methods that only the dev chain has. */
import { ZERO_WORD } from '../reference/exampleChain.ts'
import { type Example, type Examples, given, holdTransfer, NONE, POOLED } from './example.ts'

const ETHER = '0xde0b6b3a7640000'
const WORD = `${ZERO_WORD.slice(0, -2)}2a`
const LATER = 1_800_000_600

const toToken = given(({ token }) => [token])

const batchOf = (from: string, to: string) => ({
  version: '2.0.0',
  chainId: '0x7a69',
  from,
  atomicRequired: false,
  calls: [{ to, value: '0x1' }],
})

const sentBatch: Example['before'] = async (call, { alice, bob }) => {
  const { result } = await call('wallet_sendCalls', batchOf(alice, bob))
  return [(result as { id: string }).id]
}

export const dev: Examples = {
  isonode_forkStatus: { note: 'On a chain that continues no other one.' },
  anvil_addBalance: given(({ bob }) => [bob, ETHER]),
  anvil_autoImpersonateAccount: given([true]),
  anvil_dealERC20: given(({ alice, token }) => [alice, token, '0x3e8']),
  anvil_dropAllTransactions: POOLED,
  anvil_dropTransaction: {
    before: async (call, chain) => {
      await holdTransfer(call, chain)
      const { result } = await call('txpool_content')
      const { pending } = result as { pending: Record<string, Record<string, { hash: string }>> }
      return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
    },
    note: 'With one transfer in the pool.',
  },
  anvil_dumpState: NONE,
  isonode_export: NONE,
  isonode_import: {
    before: async (call) => {
      const { result } = await call('isonode_export')
      const { index, data, isLast } = result as { index: number; data: string; isLast: boolean }
      return [index, data, isLast]
    },
    note: 'With the only piece of a short chain.',
  },
  anvil_getAutomine: NONE,
  anvil_getBlobByHash: { ...given([ZERO_WORD]), note: 'No transaction with this blob was mined.' },
  anvil_getBlobsByTransactionHash: {
    ...given(({ transactions }) => [transactions[1]]),
    note: 'A transaction without blobs.',
  },
  anvil_getGenesisTime: NONE,
  anvil_getIntervalMining: NONE,
  anvil_impersonateAccount: toToken,
  anvil_impersonateSignature: given(({ bob }) => [`0x${WORD.slice(2)}${WORD.slice(2)}1b`, bob]),
  anvil_loadState: {
    before: async (call) => [(await call('anvil_dumpState')).result],
    note: 'With the result of `anvil_dumpState`.',
  },
  anvil_metadata: NONE,
  anvil_mine: given(['0x2', '0xc']),
  anvil_mine_detailed: NONE,
  anvil_nodeInfo: NONE,
  anvil_removeBlockTimestampInterval: NONE,
  anvil_removePoolTransactions: { ...POOLED, ...given(({ alice }) => [alice]) },
  anvil_reorg: given([2, []]),
  anvil_reset: NONE,
  anvil_rollback: given([1]),
  anvil_setBalance: given(({ bob }) => [bob, ETHER]),
  anvil_setBlockTimestampInterval: given([12]),
  anvil_setChainId: given(['0x539']),
  anvil_setCode: given(({ bob }) => [bob, '0x600160005260206000f3']),
  anvil_setCoinbase: given(({ bob }) => [bob]),
  anvil_setERC20Allowance: given(({ alice, bob, token }) => [alice, bob, token, '0x3e8']),
  anvil_setIntervalMining: given([12]),
  anvil_setLoggingEnabled: given([true]),
  anvil_setMinGasPrice: given(['0x1']),
  anvil_setRpcUrl: { ...given(['http://127.0.0.1:9545']), note: 'On a chain that continues no other one.' },
  anvil_setNextBlockBaseFeePerGas: given(['0x3b9aca00']),
  anvil_setNonce: given(({ bob }) => [bob, '0x7']),
  anvil_setPrevRandao: given([WORD]),
  anvil_stopImpersonatingAccount: toToken,
  eth_pendingTransactions: POOLED,
  evm_increaseTime: given([3600]),
  evm_mine: NONE,
  evm_revert: {
    before: async (call) => [(await call('evm_snapshot')).result],
    note: 'After `evm_snapshot`.',
  },
  evm_setAutomine: given([false]),
  evm_setBlockGasLimit: given(['0x1c9c380']),
  evm_setIntervalMining: given([12_000]),
  evm_setNextBlockTimestamp: given([LATER]),
  evm_setTime: given([LATER]),
  evm_snapshot: NONE,
  hardhat_dropTransaction: {
    before: async (call, chain) => {
      await holdTransfer(call, chain)
      const { result } = await call('txpool_nodeTransactions')
      return (result as { hash: string }[]).map(({ hash }) => hash)
    },
    note: 'With one transfer in the pool.',
  },
  hardhat_intervalMine: NONE,
  hardhat_impersonateAccount: toToken,
  hardhat_metadata: NONE,
  hardhat_mine: given(['0x2', '0xc']),
  hardhat_reset: NONE,
  hardhat_setBalance: given(({ bob }) => [bob, ETHER]),
  ganache_setBlockTimestampInterval: given([12]),
  hardhat_setBlockTimestampInterval: given([12_000]),
  hardhat_setCode: given(({ bob }) => [bob, '0x600160005260206000f3']),
  hardhat_setCoinbase: given(({ bob }) => [bob]),
  hardhat_setLoggingEnabled: given([true]),
  hardhat_setMinGasPrice: given(['0x1']),
  hardhat_setNextBlockBaseFeePerGas: given(['0x3b9aca00']),
  hardhat_setNonce: given(({ bob }) => [bob, '0x7']),
  hardhat_setPrevRandao: given([WORD]),
  hardhat_setStorageAt: given(({ token }) => [token, '0x0', WORD]),
  hardhat_stopImpersonatingAccount: toToken,
  isonode_setFailOnRevert: given([true]),
  wallet_addEthereumChain: given([{ chainId: '0x7a69', chainName: 'Local', rpcUrls: ['http://127.0.0.1:8545'] }]),
  wallet_getCallsStatus: { before: sentBatch, note: 'Of a batch with one transfer.' },
  wallet_getCapabilities: given(({ alice }) => [alice]),
  wallet_getPermissions: NONE,
  wallet_requestPermissions: given([{ eth_accounts: {} }]),
  wallet_revokePermissions: given([{ eth_accounts: {} }]),
  wallet_sendCalls: given(({ alice, bob }) => [batchOf(alice, bob)]),
  wallet_showCallsStatus: { before: sentBatch, note: 'Of a batch with one transfer.' },
  wallet_switchEthereumChain: given([{ chainId: '0x7a69' }]),
  wallet_watchAsset: given(({ token }) => [
    { type: 'ERC20', options: { address: token, symbol: 'TOK', decimals: 18 } },
  ]),
}
