import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusConfig } from '../config/consensusConfig.ts'

type Kinds = readonly ConsensusConfig['kind'][]

export const ETHASH_KINDS: Kinds = ['ethash']
export const CLIQUE_KINDS: Kinds = ['clique']
export const BFT_KINDS: Kinds = ['ibft2', 'qbft', 'ibft']

/** Whether some blocks of the chain belong to one of these engines. */
export function usesEngine({ consensus }: Pick<ChainConfig, 'consensus'>, kinds: Kinds): boolean {
  return consensus.entries.some(({ value }) => kinds.includes(value.kind))
}
