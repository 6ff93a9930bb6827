/**
 * Where the options, the genesis file and the file of static nodes name peers.
 * @module
 */
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { checkBootnodes, checkNodeList } from '../../../src/cli/networkRules.ts'
import { parseGenesisDiscovery } from '../../../src/config/genesisDiscovery.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { hostNames, replaceHostNames } from '../../../src/net/p2p/hostNames.ts'
import type { ChosenGenesis } from '../data/chooseGenesis.ts'

/**
 * Adds the boot nodes and the DNS list of a genesis file if the options name none, and resolves host names with
 * --Xdns-enabled.
 * @throws {NodeError} INVALID_GENESIS, UNKNOWN_HOST
 */
export async function withBootnodes(options: NodeOptions, { text, isDev }: ChosenGenesis): Promise<NodeOptions> {
  if (isDev || !options['p2p-enabled']) return { ...options, bootnodes: [] }
  const withDiscovery = options['genesis-file'] === undefined ? options : withGenesisDiscovery(options, text)
  if (withDiscovery.bootnodes === undefined) return withDiscovery
  return {
    ...withDiscovery,
    bootnodes: await Promise.all(withDiscovery.bootnodes.map((url) => withAddresses(url, options))),
  }
}

function withGenesisDiscovery(options: NodeOptions, text: string): NodeOptions {
  const { bootnodes, list } = parseGenesisDiscovery(text)
  const source = 'Invalid genesis block configuration, discovery'
  if (bootnodes !== undefined) checkBootnodes({ ...options, bootnodes }, `${source}.bootnodes`)
  if (list !== undefined) checkNodeList(list, `${source}.dns`)
  return {
    ...options,
    bootnodes: options.bootnodes ?? bootnodes,
    'discovery-dns-url': options['discovery-dns-url'] ?? list,
  }
}

/**
 * Replaces the host names of enode URLs by addresses, if --Xdns-enabled allows names.
 * @throws {NodeError} UNKNOWN_HOST
 */
export async function withAddresses(text: string, options: Pick<NodeOptions, 'Xdns-enabled'>): Promise<string> {
  if (!options['Xdns-enabled']) return text
  const addresses = new Map<string, string>()
  for (const name of hostNames(text)) addresses.set(name, await addressOf(name))
  return replaceHostNames(text, (name) => addresses.get(name))
}

/** Unlike a query to a name server, this also finds the names of the system's hosts file. */
async function addressOf(name: string): Promise<string> {
  try {
    const addresses = await lookup(name, { all: true })
    const { address } = addresses.find(({ family }) => family === 4) ?? (addresses[0] as LookupAddress)
    return address
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    const message = `the host name '${name}' of an enode URL has no address (${code})`
    throw new NodeError({ code: 'UNKNOWN_HOST' }, message, { cause: error })
  }
}
