/**
 * Options of the transaction pool and the peer-to-peer network.
 * @module
 */

// biome-ignore format: one option per line reads as a table
export const NETWORK_OPTIONS = {
  'tx-pool-max-size': { type: 'integer', group: 'pool', unit: 'transactions', default: 4096, devDefault: 32768, min: 1, help: 'Maximum number of transactions.' },
  'tx-pool-retention-hours': { type: 'integer', group: 'pool', unit: 'hours', default: 13, min: 1, help: 'Time after which a transaction is removed.' },
  'tx-pool-price-bump': { type: 'integer', group: 'pool', unit: 'percent', default: 10, min: 0, max: 100, help: 'Minimum price increase of a replacement.' },
  'tx-pool-limit-by-account-percentage': { type: 'number', group: 'pool', default: 0.001, devDefault: 1, min: 0, max: 1, help: 'Maximum share of the pool per account, as a fraction.' },
  'strict-tx-replay-protection-enabled': { type: 'boolean', group: 'pool', default: false, help: 'Refuse transactions without a chain id.' },

  'network-id': { type: 'quantity', group: 'p2p', help: "P2P network id (default: the network's id, or the chain id)." },
  'node-private-key-file': { type: 'text', group: 'p2p', form: 'file', help: "File with the node's private key (default: <data-path>/key)." },
  'security-module': { type: 'text', group: 'p2p', default: 'localfile', help: 'Storage of the node key.', later: 'refused' },
  'p2p-enabled': { type: 'boolean', group: 'p2p', default: true, help: 'Connect to peers.' },
  'discovery-enabled': { type: 'boolean', group: 'p2p', default: true, help: 'Discover peers.' },
  'bootnodes': { type: 'list', group: 'p2p', help: 'Enode URLs of boot nodes (default: those of the network).' },
  'p2p-host': { type: 'text', group: 'p2p', default: '127.0.0.1', help: 'Advertised address.' },
  'p2p-interface': { type: 'text', group: 'p2p', default: '0.0.0.0', help: 'Address to listen on.' },
  'p2p-port': { type: 'integer', group: 'p2p', default: 30303, min: 0, max: 65535, help: 'TCP and UDP port.' },
  'p2p-peer-lower-bound': { type: 'integer', group: 'p2p', unit: 'peers', default: 25, min: 0, help: 'Number of peers below which the node looks for more.', hidden: true },
  'max-peers': { type: 'integer', group: 'p2p', unit: 'peers', default: 25, min: 0, help: 'Maximum number of peers.', aliases: ['p2p-peer-upper-bound'] },
  'remote-connections-limit-enabled': { type: 'boolean', group: 'p2p', default: true, help: 'Limit inbound connections.' },
  'remote-connections-max-percentage': { type: 'integer', group: 'p2p', unit: 'percent', default: 60, min: 0, max: 100, help: 'Maximum share of inbound connections.' },
  'discovery-dns-url': { type: 'text', group: 'p2p', form: 'url', help: 'DNS node list (EIP-1459) (default: that of the network, unless boot nodes are given).' },
  'banned-node-ids': { type: 'list', group: 'p2p', default: [], help: 'Node ids to refuse as peers.', aliases: ['banned-node-id'] },
  'random-peer-priority-enabled': { type: 'boolean', group: 'p2p', default: false, help: 'Prioritize inbound peers at random.' },
  'static-nodes-file': { type: 'text', group: 'p2p', form: 'file', help: 'File with peers to stay connected to (default: <data-path>/static-nodes.json).' },
  'nat-method': { type: 'choice', group: 'p2p', default: 'AUTO', choices: ['UPNP', 'UPNPP2PONLY', 'DOCKER', 'KUBERNETES', 'AUTO', 'NONE'], help: 'Method for finding the external address.' },
  'Xdns-enabled': { type: 'boolean', group: 'p2p', default: false, help: 'Allow host names in the enode URLs of boot nodes and static nodes.', hidden: true },
  'Xdns-update-enabled': { type: 'boolean', group: 'p2p', default: false, help: 'Resolve the host names of static and added peers before each redial.', hidden: true },
  'sync-mode': { type: 'choice', group: 'p2p', choices: ['FULL', 'FAST', 'X_SNAP', 'X_CHECKPOINT'], help: 'Method for downloading the chain; the node always synchronises in full.', later: 'ignored' },
  'fast-sync-min-peers': { type: 'integer', group: 'p2p', unit: 'peers', default: 5, min: 0, help: 'Number of peers needed before a fast sync starts.', later: 'ignored' },
  'required-blocks': { type: 'list', group: 'p2p', default: [], help: 'Blocks that peers must have: number=hash.', aliases: ['required-block'] },
  'ethstats': { type: 'text', group: 'p2p', form: 'url', help: 'URL of an ethstats server.', later: 'refused' },
  'ethstats-contact': { type: 'text', group: 'p2p', help: 'Contact address shown on the ethstats server.', later: 'refused' },
  'ethstats-cacert-file': { type: 'text', group: 'p2p', form: 'file', help: 'Certificate authority of the ethstats server.', later: 'refused' },
} as const
