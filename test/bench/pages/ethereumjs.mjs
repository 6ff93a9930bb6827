/** The VM of EthereumJS, as a page would use it as a dev chain: it signs each transaction and builds a block of it. */
import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createFeeMarket1559Tx } from '@ethereumjs/tx'
import {
  bytesToHex,
  createAccount,
  createAddressFromPrivateKey,
  createAddressFromString,
  hexToBytes,
} from '@ethereumjs/util'
import { buildBlock, createVM } from '@ethereumjs/vm'
import { begin } from './load.mjs'

const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const RECIPIENT = createAddressFromString('0x00000000000000000000000000000000000000bb')
const SENDER = createAddressFromPrivateKey(KEY)
const GAS_PRICE = 10n ** 10n

begin(async () => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })
  const vm = await createVM({ common })
  await vm.stateManager.putAccount(SENDER, createAccount({ balance: 10n ** 24n }))
  let parent = createBlock({ header: { gasLimit: 30_000_000n, baseFeePerGas: 1n } }, { common })
  let nonce = 0n
  return {
    call: async (to, data) => {
      const message = { to: createAddressFromString(to), data: hexToBytes(data), caller: SENDER, gasLimit: 30_000_000n }
      // A call would count as a transaction of its sender.
      await vm.evm.journal.checkpoint()
      const { execResult } = await vm.evm.runCall({ ...message, block: parent })
      await vm.evm.journal.revert()
      return bytesToHex(execResult.returnValue)
    },
    transact: async () => {
      const headerData = { timestamp: parent.header.timestamp + 1n, gasLimit: parent.header.gasLimit }
      const blockOpts = { putBlockIntoBlockchain: false }
      const builder = await buildBlock(vm, { parentBlock: parent, headerData, blockOpts })
      const fees = { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 1n, gasLimit: 21_000n }
      const transaction = createFeeMarket1559Tx({ ...fees, to: RECIPIENT, value: 1n, nonce, chainId: 1n }, { common })
      await builder.addTransaction(transaction.sign(KEY))
      const { block } = await builder.build()
      parent = block
      nonce++
    },
    setCode: (address, code) => vm.stateManager.putCode(createAddressFromString(address), hexToBytes(code)),
    blockNumber: async () => Number(parent.header.number),
  }
})
