/** The recorded chains with IBFT 2.0, QBFT and legacy IBFT. */
import type { RecordedChain } from '../recorded/recordedChains.ts'

const besu = (name: string, blocks: number, head: string): RecordedChain => ({
  folder: `besu/${name}`,
  file: 'blocks.bin',
  blocks,
  head,
})

export const BFT_CHAINS: readonly RecordedChain[] = [
  besu('ibft2', 24, '0x57979888ebb04d1515b0841dddf8f27bf969a3a93bef855be827dd49765e0f67'),
  besu('ibft2-rounds', 36, '0xec7b04f62e243b89eca0cbfb527e86cc64b6ea7cbb00aff3432944712e532b90'),
  besu('ibft2-transitions', 26, '0x3f41bac64c67a87797dce2a24eb0e3e1db1e50ce5cdf1e96538a7aeba683bf83'),
  besu('ibft2-to-qbft', 11, '0x7d919192c4bfacb16213a47672ea065418b5881e6458e8c3ae19394dff0a64dc'),
  besu('qbft', 24, '0x66920fb9b4397d6eca888d4795a3a817c04ca35557236d4c53d50203688c29d7'),
  besu('qbft-rounds', 36, '0x630295b4b42d59193ff63ed8bf0f1634b15882ed33a48b47e52a0caff04f0ae3'),
  besu('qbft-contract', 26, '0xd37f5c6e11a2febb25cc1940f003e498664fa7df2faa451743e8544c48b71337'),
  besu('qbft-transitions', 34, '0x2e8b7938b32dfdb9500e8343c116f32f7e87f58ff84b972112bdc419f77a41c2'),
  besu('ibft-legacy', 958, '0xe3977f34ed64b875950883df5dd52cd576d7b927834608e3c08623008d6aa1bb'),
  besu('ibft-legacy-qbft', 100, '0x66c50338a9ec939a3219a80b3b5e7d51c154507d5748f08dbda9422520bb3251'),
]

export function bftChain(name: string): RecordedChain {
  const found = BFT_CHAINS.find(({ folder }) => folder === `besu/${name}`)
  if (found === undefined) throw new RangeError(`no recorded chain ${name}`)
  return found
}
