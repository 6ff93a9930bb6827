/** Methods that exist: any answer but "unknown". */
import { BOB, methods, withShared, ZERO_HASH } from './nodes.mjs'

const METHOD_ROWS = {
  'methods: `anvil_addBalance, dealERC20, setERC20Allowance, setChainId, impersonateSignature, getBlobByHash`': {
    anvil_addBalance: [BOB, '0x1'],
    anvil_dealERC20: [BOB, BOB, '0x1'],
    anvil_setERC20Allowance: [BOB, BOB, BOB, '0x1'],
    anvil_setChainId: [31337],
    anvil_impersonateSignature: [`0x${'11'.repeat(65)}`, BOB],
    anvil_getBlobByHash: [ZERO_HASH],
  },
  'methods: keys added at run time (`evm_addAccount, personal_newAccount, importRawKey, unlockAccount`)': {
    evm_addAccount: [BOB, ''],
    personal_newAccount: [''],
    personal_importRawKey: [`0x${'42'.repeat(32)}`, ''],
    personal_unlockAccount: [BOB, '', 0],
  },
  'methods: `eth_getRawTransactionByHash, …ByBlockHashAndIndex, …ByBlockNumberAndIndex, eth_fillTransaction, eth_getTransactionBySenderAndNonce`':
    {
      eth_getRawTransactionByHash: [ZERO_HASH],
      eth_getRawTransactionByBlockHashAndIndex: [ZERO_HASH, '0x0'],
      eth_getRawTransactionByBlockNumberAndIndex: ['0x0', '0x0'],
      eth_fillTransaction: [{ from: BOB, to: BOB, value: '0x1' }],
      eth_getTransactionBySenderAndNonce: [BOB, '0x0'],
    },
  'methods: `debug_dumpBlock, debug_subscribe, debug_traceCallMany`': {
    debug_dumpBlock: ['latest'],
    debug_subscribe: ['traceChain', '0x0', '0x1'],
    debug_traceCallMany: [[{ transactions: [{ from: BOB, to: BOB }] }], { blockNumber: 'latest' }, {}],
  },
  'methods: `eth_getProof, eth_createAccessList, eth_feeHistory, eth_getBlockReceipts, debug_traceCall, debug_traceBlockByNumber, debug_getRawBlock, txpool_content`':
    {
      eth_getProof: [BOB, [], 'latest'],
      eth_createAccessList: [{ from: BOB, to: BOB }, 'latest'],
      eth_feeHistory: ['0x1', 'latest', []],
      eth_getBlockReceipts: ['latest'],
      debug_traceCall: [{ from: BOB, to: BOB }, 'latest', {}],
      debug_traceBlockByNumber: ['latest', {}],
      debug_getRawBlock: ['latest'],
      txpool_content: [],
    },
  'methods: `hardhat_metadata, hardhat_getAutomine, hardhat_setPrevRandao, hardhat_dropTransaction`': {
    hardhat_metadata: [],
    hardhat_getAutomine: [],
    hardhat_setPrevRandao: [ZERO_HASH],
    hardhat_dropTransaction: [ZERO_HASH],
  },
  'methods of wallets: `wallet_sendCalls, getCallsStatus, getCapabilities` (EIP-5792)': {
    wallet_sendCalls: [{}],
    wallet_getCallsStatus: [ZERO_HASH],
    wallet_getCapabilities: [BOB],
  },
  'methods of wallets: `wallet_getPermissions, requestPermissions, addEthereumChain, switchEthereumChain, watchAsset`':
    {
      wallet_getPermissions: [],
      wallet_requestPermissions: [{ eth_accounts: {} }],
      wallet_addEthereumChain: [{}],
      wallet_switchEthereumChain: [{ chainId: '0x7a69' }],
      wallet_watchAsset: [{ type: 'ERC20', options: { address: BOB, symbol: 'TKN', decimals: 18 } }],
    },
  'methods of Otterscan and Erigon: `ots_getApiLevel, ots_hasCode, ots_getBlockDetails, erigon_getHeaderByNumber, debug_codeByHash`':
    {
      ots_getApiLevel: [],
      ots_hasCode: [BOB, 'latest'],
      ots_getBlockDetails: ['0x0'],
      erigon_getHeaderByNumber: ['0x0'],
      debug_codeByHash: [ZERO_HASH, null],
    },
}

export const methodRows = Object.fromEntries(
  Object.entries(METHOD_ROWS).map(([row, table]) => [
    row,
    (tool) =>
      withShared(tool, async (node) => {
        // Some parameters name block 1.
        await node.call('evm_mine')
        return methods(node, table)
      }),
  ]),
)
