import { FIRST_256_ADDRESSES, type NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 5,
      petersburgBlock: 0,
      istanbulBlock: 1561651,
      berlinBlock: 4460644,
      londonBlock: 5062605,
      terminalTotalDifficulty: 10790000,
      shanghaiTime: 1678832736,
      cancunTime: 1705473120,
      clique: { blockperiodseconds: 15, epochlength: 30000 },
    },
    timestamp: '0x5c51a607',
    extraData: `0x22466c6578692069732061207468696e6722202d204166726900000000000000e0a2bd4258d2768837baa26a28fe71dc079f84c7${'00'.repeat(65)}`,
    gasLimit: '0xa00000',
    difficulty: '0x1',
    alloc: {
      ...FIRST_256_ADDRESSES,
      '4c2ae482593505f0163cdefc073e81c63cda4107': { balance: '0x152d02c7e14af6800000' },
      a8e8f14732658e4b51e8711931053a8a69baf2b1: { balance: '0x152d02c7e14af6800000' },
      d9a5179f091d85051d3c982785efd1455cec8699: { balance: '0x84595161401484a000000' },
      e0a2bd4258d2768837baa26a28fe71dc079f84c7: { balance: '0x4a47e3c12448f4ad000000' },
    },
  },
}
