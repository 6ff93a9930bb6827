/** A dapp that asks a node over HTTP, one by one and in a batch. */
import { createPublicClient, http } from 'viem'
import { expectEqual, runDapp } from './contract.ts'

runDapp(async () => {
  const url = new URL('/rpc', location.href).href
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  expectEqual(await client.getChainId(), 31337)
  const batched = createPublicClient({ transport: http(url, { batch: true }) })
  await Promise.all([batched.getBlockNumber({ cacheTime: 0 }), batched.getGasPrice(), batched.getChainId()])
})
