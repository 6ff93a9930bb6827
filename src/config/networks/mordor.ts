import type { NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 63,
      atlantisBlock: 0,
      aghartaBlock: 301243,
      phoenixBlock: 999983,
      thanosBlock: 2520000,
      magnetoBlock: 3985893,
      mystiqueBlock: 5520000,
      spiralBlock: 9957000,
      ecip1017EraRounds: 2000000,
      ethash: {},
    },
    timestamp: '0x5d9676db',
    extraData: '0x70686f656e697820636869636b656e206162737572642062616e616e61',
    gasLimit: '0x2fefd8',
    difficulty: '0x20000',
  },
}
