import { FIRST_256_ADDRESSES, type NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 6,
      ecip1041Block: 0,
      atlantisBlock: 716617,
      aghartaBlock: 1705549,
      phoenixBlock: 2200013,
      magnetoBlock: 4368634,
      mystiqueBlock: 5578000,
      clique: { blockperiodseconds: 15, epochlength: 30000 },
    },
    timestamp: '0x5c2d2287',
    extraData: `0x${'00'.repeat(32)}25b7955e43adf9c2a01a9475908702cce67f302a6aaf8cba3c9255a2b863415d4db7bae4f4bbca02${'00'.repeat(65)}`,
    gasLimit: '0xa00000',
    difficulty: '0x1',
    alloc: {
      ...FIRST_256_ADDRESSES,
      '25b7955e43adf9c2a01a9475908702cce67f302a': { balance: '0x84595161401484a000000' },
      '6aaf8cba3c9255a2b863415d4db7bae4f4bbca02': { balance: '0x4a723dc6b40b8a9a000000' },
    },
  },
}
