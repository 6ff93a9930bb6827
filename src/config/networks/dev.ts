import { DEV_NETWORK_ACCOUNTS } from '../devGenesis.ts'
import type { NetworkGenesis } from './networkGenesis.ts'

/** The fields that all development networks share. */
export const DEV_FIELDS: Readonly<Record<string, unknown>> = {
  nonce: '0x42',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  gasLimit: '0x1fffffffffffff',
  difficulty: '0x10000',
  alloc: Object.fromEntries(DEV_NETWORK_ACCOUNTS.map(({ address, balance }) => [address, { balance }])),
}

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 1337,
      londonBlock: 0,
      contractSizeLimit: 2147483647,
      ethash: { fixeddifficulty: 100 },
    },
    ...DEV_FIELDS,
    baseFeePerGas: '0x0',
  },
}
