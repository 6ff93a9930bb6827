import type { ChainConfig } from './chainConfig.ts'
import { parseGenesisFile } from './genesisFile.ts'
import { loadNetwork, type NetworkName } from './networks.ts'

/**
 * The configuration of a chain as its database has it, with later forks than the genesis file that it began with.
 * @param genesis text in the metadata: a genesis file, or the name of a network
 * @throws {NodeError} INVALID_GENESIS
 */
export async function storedConfig(genesis: string): Promise<ChainConfig> {
  const json: unknown = JSON.parse(genesis)
  const network = typeof json === 'object' && json !== null && 'network' in json ? json.network : undefined
  if (typeof network === 'string') return (await loadNetwork(network as NetworkName)).config
  return parseGenesisFile(genesis).config
}
