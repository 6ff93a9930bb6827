/**
 * The section `config.discovery` of a genesis file: where nodes of its chain find peers.
 * @module
 */
import { GenesisObject, invalid, parseGenesisJson } from './genesisJson.ts'

export interface GenesisDiscovery {
  /** Enode URLs; undefined: not given. */
  readonly bootnodes: readonly string[] | undefined
  /** DNS node list, `enrtree://<key>@<domain>` */
  readonly list: string | undefined
}

/**
 * @param text JSON
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseGenesisDiscovery(text: string): GenesisDiscovery {
  const section = new GenesisObject(parseGenesisJson(text), 'genesis').object('config')?.object('discovery')
  const list = section?.get('dns')
  if (list !== undefined && typeof list !== 'string') throw invalid('discovery.dns must be a string')
  return { bootnodes: bootnodesOf(section?.get('bootnodes')), list }
}

function bootnodesOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.some((url) => typeof url !== 'string')) {
    throw invalid('discovery.bootnodes must be an array of enode URLs')
  }
  return value
}
