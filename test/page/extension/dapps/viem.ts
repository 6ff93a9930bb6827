/** A dapp with viem, which finds its wallet by EIP-6963. */
import { createPublicClient, createWalletClient, custom, type EIP1193Provider, type Hex } from 'viem'
import { expectEqual, INIT_CODE, runDapp, word } from './contract.ts'

function announcedWallet(): Promise<EIP1193Provider> {
  return new Promise((resolve) => {
    addEventListener('eip6963:announceProvider', (event) => resolve((event as CustomEvent).detail.provider))
    dispatchEvent(new Event('eip6963:requestProvider'))
  })
}

runDapp(async () => {
  const transport = custom(await announcedWallet())
  const wallet = createWalletClient({ transport })
  const client = createPublicClient({ transport, pollingInterval: 50 })
  const [account] = (await wallet.requestAddresses()) as [Hex]
  const sent = await wallet.sendTransaction({ account, chain: null, data: INIT_CODE })
  const { contractAddress: to } = await client.waitForTransactionReceipt({ hash: sent })
  if (to == null) throw new Error('there is no contract')
  const hash = await wallet.sendTransaction({ account, chain: null, to, data: word(7) })
  const { logs } = await client.waitForTransactionReceipt({ hash })
  expectEqual(logs[0]?.data, word(7))
  expectEqual((await client.call({ to })).data, word(7))
  expectEqual(await client.getChainId(), 31337)
})
