import { loadMainnetAlloc, type NetworkGenesis } from './networkGenesis.ts'

/** The same block 0 as Ethereum Classic's. */
export const MAINNET_FIELDS: Readonly<Record<string, string>> = {
  nonce: '0x42',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  gasLimit: '0x1388',
  difficulty: '0x400000000',
}

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 1,
      homesteadBlock: 1150000,
      daoForkBlock: 1920000,
      eip150Block: 2463000,
      eip158Block: 2675000,
      byzantiumBlock: 4370000,
      petersburgBlock: 7280000,
      istanbulBlock: 9069000,
      muirGlacierBlock: 9200000,
      berlinBlock: 12244000,
      londonBlock: 12965000,
      arrowGlacierBlock: 13773000,
      grayGlacierBlock: 15050000,
      terminalTotalDifficulty: '58750000000000000000000',
      shanghaiTime: 1681338455,
      cancunTime: 1710338135,
      pragueTime: 1746612311,
      osakaTime: 1764798551,
      bpo1Time: 1765290071,
      bpo2Time: 1767747671,
      ethash: {},
    },
    ...MAINNET_FIELDS,
  },
  loadAlloc: loadMainnetAlloc,
}
