import { FIRST_256_ADDRESSES, type NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 4,
      homesteadBlock: 1,
      eip150Block: 2,
      eip158Block: 3,
      byzantiumBlock: 1035301,
      constantinopleBlock: 3660663,
      petersburgBlock: 4321234,
      istanbulBlock: 5435345,
      berlinBlock: 8290928,
      londonBlock: 8897988,
      clique: { blockperiodseconds: 15, epochlength: 30000 },
    },
    timestamp: '0x58ee40ba',
    extraData: `0x52657370656374206d7920617574686f7269746168207e452e436172746d616e42eb768f2244c8811c63729a21a3569731535f067ffc57839b00206d1ad20c69a1981b489f772031b279182d99e65703f0076e4812653aab85fca0f0${'00'.repeat(65)}`,
    gasLimit: '0x47b760',
    difficulty: '0x1',
    alloc: {
      ...FIRST_256_ADDRESSES,
      '31b98d14007bdee637298086988a0bbd31184523': {
        balance: '0x200000000000000000000000000000000000000000000000000000000000000',
      },
    },
  },
}
