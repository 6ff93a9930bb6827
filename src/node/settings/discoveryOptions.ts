import { PUBLIC_NODES } from '../../config/networks/publicNodes.ts'
import type { NodeOptions } from '../../config/options.ts'
import { type Enode, parseEnode } from '../../net/p2p/enode.ts'

export interface DiscoveryOptions {
  readonly bootnodes: readonly Enode[]
  /** DNS node lists, `enrtree://<key>@<domain>` */
  readonly lists: readonly string[]
}

/**
 * Without options, the nodes of the named network; an empty list of boot nodes is none.
 * @returns undefined: peers are not discovered
 */
export function discoveryOptions(options: NodeOptions): DiscoveryOptions | undefined {
  if (!options['discovery-enabled']) return undefined
  const { network } = options
  const isNamed = network !== undefined && options['genesis-file'] === undefined
  const { bootnodes: publicBootnodes = [], list: publicList } = (isNamed ? PUBLIC_NODES[network] : undefined) ?? {}
  const list = options['discovery-dns-url'] ?? (options.bootnodes === undefined ? publicList : undefined)
  return { bootnodes: (options.bootnodes ?? publicBootnodes).map(parseEnode), lists: list === undefined ? [] : [list] }
}
