import { ChainConfig, type ChainConfigOptions } from '../../../src/config/chainConfig.ts'

/** A proof-of-work chain without forks, except for the given options. */
export function configOf(options: Partial<ChainConfigOptions> = {}): ChainConfig {
  return new ChainConfig({
    chainId: 1n,
    networkId: 1n,
    activations: [],
    consensus: { kind: 'ethash', fixedDifficulty: undefined },
    terminalTotalDifficulty: undefined,
    source: {},
    ...options,
  })
}
