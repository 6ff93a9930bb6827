import { DEV_FIELDS } from './dev.ts'
import type { NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 2023,
      experimentalEipsTime: 0,
      contractSizeLimit: 2147483647,
      terminalTotalDifficulty: 0,
      ethash: {},
    },
    ...DEV_FIELDS,
  },
}
