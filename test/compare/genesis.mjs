/** A genesis file with a funded account, for a chain that mines at once. */
import { BOB, CHECKSUMMED, ZERO_HASH } from './nodes.mjs'

export const GENESIS = {
  config: {
    chainId: 4242,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 } },
  },
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  mixHash: ZERO_HASH,
  coinbase: '0x0000000000000000000000000000000000000000',
  baseFeePerGas: '0x3b9aca00',
  alloc: { [BOB.slice(2)]: { balance: '0x4d' }, [CHECKSUMMED.slice(2)]: { balance: '0x21e19e0c9bab2400000' } },
}
