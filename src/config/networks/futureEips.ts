import { DEV_FIELDS } from './dev.ts'
import type { NetworkGenesis } from './networkGenesis.ts'

export const genesis: NetworkGenesis = {
  json: {
    config: { chainId: 2022, futureEipsTime: 0, terminalTotalDifficulty: 0, ethash: {} },
    ...DEV_FIELDS,
  },
}
