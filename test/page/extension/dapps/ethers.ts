/** A dapp with ethers. */
import { BrowserProvider, type Eip1193Provider } from 'ethers'
import { expectEqual, INIT_CODE, runDapp, word } from './contract.ts'

runDapp(async () => {
  const provider = new BrowserProvider(window.ethereum as unknown as Eip1193Provider, undefined, { cacheTimeout: -1 })
  provider.pollingInterval = 50
  const signer = await provider.getSigner()
  const created = await (await signer.sendTransaction({ data: INIT_CODE })).wait()
  const to = created?.contractAddress
  if (to == null) throw new Error('there is no contract')
  await (await signer.sendTransaction({ to, data: word(9) })).wait()
  expectEqual(await provider.call({ to }), word(9))
  expectEqual((await provider.getNetwork()).chainId, 31337n)
  provider.destroy()
})
