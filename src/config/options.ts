/**
 * The only option table. Command line, environment, TOML keys, defaults, types, `--help` and the documentation are
 * derived from it. Names and defaults follow Besu 23.4, except for options that Besu lacks.
 * @module
 */

export type OptionType = 'boolean' | 'integer' | 'number' | 'wei' | 'text' | 'list' | 'choice'

export interface OptionSpec {
  readonly type: OptionType
  readonly group: string
  readonly help: string
  readonly default?: boolean | number | bigint | string | readonly string[]
  /** Default on the dev chain, where it differs. */
  readonly devDefault?: boolean | number | bigint | string | readonly string[]
  readonly aliases?: readonly string[]
  /** Values of a choice, in any case. */
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  /**
   * Not implemented yet. `ignored`: existing command lines start, with a warning. `refused`: the option protects the
   * node or changes its results, so any value but the default prevents the start.
   */
  readonly later?: 'ignored' | 'refused'
  readonly hidden?: boolean
  /** Whether the command needs this option. */
  readonly required?: boolean
  /** Boolean option without which this one has no effect; using it without that option is a warning. */
  readonly needs?: string
}

// biome-ignore format: one option per line reads as a table
export const OPTIONS = {
  'help': { type: 'boolean', group: 'General', default: false, help: 'Show this help and exit.', aliases: ['h'] },
  'version': { type: 'boolean', group: 'General', default: false, help: 'Print the version and exit.', aliases: ['V'] },
  'data-path': { type: 'text', group: 'General', help: 'Data directory (default: .isonode/<network>).' },
  'genesis-file': { type: 'text', group: 'General', help: 'Genesis file in Besu or geth format; cannot be combined with --network.' },
  'network': { type: 'choice', group: 'General', choices: ['MAINNET', 'GOERLI', 'SEPOLIA', 'RINKEBY', 'DEV', 'FUTURE_EIPS', 'EXPERIMENTAL_EIPS', 'CLASSIC', 'KOTTI', 'MORDOR'], help: 'Named network, in upper or lower case; cannot be combined with --genesis-file.' },
  'network-id': { type: 'wei', group: 'General', help: "P2P network id (default: the network's id, or the chain id)." },
  'config-file': { type: 'text', group: 'General', help: 'TOML file with options; its keys are the option names without dashes.' },
  'dev': { type: 'boolean', group: 'General', default: false, help: 'Run the dev chain; the default without --network and --genesis-file.' },
  'dev-fork': { type: 'choice', group: 'General', choices: ['PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA'], help: 'Fork of a new dev chain (default: the latest).' },
  'dev-block-time': { type: 'number', group: 'General', default: 0, min: 0, help: 'Seconds between blocks of the dev chain; 0: each transaction is mined immediately in its own block.' },
  'ephemeral': { type: 'boolean', group: 'General', default: false, help: 'Keep all data in memory; nothing is stored on disk.' },
  'identity': { type: 'text', group: 'General', help: 'Name shown in web3_clientVersion.' },
  'logging': { type: 'choice', group: 'General', default: 'INFO', choices: ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'], help: 'Log level.', aliases: ['l'] },
  'silent': { type: 'boolean', group: 'General', default: false, help: 'Print nothing but fatal errors.' },
  'quiet': { type: 'boolean', group: 'General', default: false, help: 'Print the banner and warnings only.' },
  'color-enabled': { type: 'boolean', group: 'General', default: true, help: 'Use colours in log output.', later: 'ignored' },
  'pid-path': { type: 'text', group: 'General', help: 'File to write the process id to.', later: 'ignored' },
  'node-private-key-file': { type: 'text', group: 'General', help: "File with the node's private key (default: <data-path>/key)." },
  'reorg-logging-threshold': { type: 'integer', group: 'General', default: 6, min: 0, help: 'Log a warning when a reorganisation removes more than this number of blocks.' },
  'key-value-storage': { type: 'text', group: 'General', help: 'Storage engine; accepted for compatibility, the store is always LMDB.', later: 'ignored' },
  'security-module': { type: 'text', group: 'General', default: 'localfile', help: 'Storage of the node key.', later: 'refused' },

  'data-storage-format': { type: 'choice', group: 'Storage', default: 'FOREST', choices: ['FOREST', 'BONSAI'], help: 'State storage; FOREST keeps every historical state.' },
  'data-durability': { type: 'choice', group: 'Storage', default: 'power', devDefault: 'process', choices: ['power', 'process'], help: 'Failure that a committed block survives: loss of power, or only a killed program.' },
  'pruning-enabled': { type: 'boolean', group: 'Storage', default: false, help: 'Delete old states.', later: 'ignored' },
  'pruning-blocks-retained': { type: 'integer', group: 'Storage', default: 1024, min: 1, help: 'Number of recent states that pruning keeps.', later: 'ignored' },
  'pruning-block-confirmations': { type: 'integer', group: 'Storage', default: 10, min: 0, help: 'Number of confirmations before a state may be pruned.', later: 'ignored' },
  'bonsai-historical-block-limit': { type: 'integer', group: 'Storage', default: 512, min: 0, help: 'Number of historical states available with BONSAI.', aliases: ['bonsai-maximum-back-layers-to-load'], later: 'ignored' },

  'evm': { type: 'choice', group: 'Execution', default: 'native', choices: ['native', 'reference'], help: 'EVM implementation: the built-in WebAssembly interpreter, or @ethereumjs/evm.' },
  'evm-cross-check': { type: 'boolean', group: 'Execution', default: false, help: 'Execute every imported block a second time with @ethereumjs/vm and compare the results.' },
  'kzg-trusted-setup': { type: 'text', group: 'Execution', help: 'KZG trusted setup file (default: built in).', later: 'refused' },

  'rpc-http-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, devDefault: true, help: 'Serve JSON-RPC over HTTP.' },
  'rpc-http-host': { type: 'text', group: 'JSON-RPC over HTTP', default: '127.0.0.1', help: 'Address to listen on.', needs: 'rpc-http-enabled' },
  'rpc-http-port': { type: 'integer', group: 'JSON-RPC over HTTP', default: 8545, min: 0, max: 65535, help: 'Port; 0: any free port, which is printed.', needs: 'rpc-http-enabled' },
  'rpc-http-api': { type: 'list', group: 'JSON-RPC over HTTP', default: ['ETH', 'NET', 'WEB3'], devDefault: ['ALL'], help: 'API groups, or ALL.', aliases: ['rpc-http-apis'], needs: 'rpc-http-enabled' },
  'rpc-http-max-active-connections': { type: 'integer', group: 'JSON-RPC over HTTP', default: 80, devDefault: 1024, min: 1, help: 'Maximum number of connections; further ones are closed immediately.', needs: 'rpc-http-enabled' },
  'rpc-http-max-batch-size': { type: 'integer', group: 'JSON-RPC over HTTP', default: 1024, help: 'Maximum number of requests in a batch; 0 or less: unlimited.', needs: 'rpc-http-enabled' },
  'rpc-http-max-request-content-length': { type: 'integer', group: 'JSON-RPC over HTTP', default: 5242880, min: 1, help: 'Maximum size of a request body in bytes.', needs: 'rpc-http-enabled' },
  'rpc-http-cors-origins': { type: 'list', group: 'JSON-RPC over HTTP', default: [], devDefault: ['https?://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?', '(chrome|moz)-extension://.*'], help: 'Origins of browser pages that may call, over WebSocket too: regular expressions, `all` or `none`.' },
  'rpc-http-api-methods-no-auth': { type: 'list', group: 'JSON-RPC over HTTP', default: [], help: 'Methods that need no token.', aliases: ['rpc-http-api-method-no-auth'], later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Require a token.', later: 'refused' },
  'rpc-http-authentication-credentials-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'TOML file with users and password hashes.', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-jwt-public-key-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Public key that verifies external tokens (PEM).', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-jwt-algorithm': { type: 'choice', group: 'JSON-RPC over HTTP', default: 'RS256', choices: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'], help: 'Signature algorithm of external tokens.', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-tls-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Serve over TLS.', later: 'refused' },
  'rpc-http-tls-keystore-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'TLS key store (PKCS#12).', later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-keystore-password-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'File with the password of the TLS key store.', later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-client-auth-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Require client certificates.', later: 'refused' },
  'rpc-http-tls-known-clients-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'File with the fingerprints of known clients.', later: 'ignored', needs: 'rpc-http-tls-client-auth-enabled' },
  'rpc-http-tls-ca-clients-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Accept client certificates that a trusted CA signed.', later: 'ignored', needs: 'rpc-http-tls-client-auth-enabled' },
  'rpc-http-tls-protocols': { type: 'list', group: 'JSON-RPC over HTTP', default: ['TLSv1.3', 'TLSv1.2'], help: 'Allowed TLS versions.', aliases: ['rpc-http-tls-protocol'], later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-cipher-suites': { type: 'list', group: 'JSON-RPC over HTTP', default: [], help: 'Allowed TLS cipher suites.', aliases: ['rpc-http-tls-cipher-suite'], later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'host-allowlist': { type: 'list', group: 'JSON-RPC over HTTP', default: ['localhost', '127.0.0.1'], help: 'Accepted host names of the Host header; `*` or `all`: any.', aliases: ['host-whitelist'] },
  'Xhttp-timeout-seconds': { type: 'integer', group: 'JSON-RPC over HTTP', default: 300, min: 1, hidden: true, help: 'Time limit for one request, in seconds.' },

  'rpc-ws-enabled': { type: 'boolean', group: 'JSON-RPC over WebSocket', default: false, devDefault: true, help: 'Serve JSON-RPC over WebSocket, on the HTTP port too.' },
  'rpc-ws-host': { type: 'text', group: 'JSON-RPC over WebSocket', default: '127.0.0.1', help: 'Address to listen on.', needs: 'rpc-ws-enabled' },
  'rpc-ws-port': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 8546, min: 0, max: 65535, help: 'Port; 0: any free port, which is printed.', needs: 'rpc-ws-enabled' },
  'rpc-ws-api': { type: 'list', group: 'JSON-RPC over WebSocket', default: ['ETH', 'NET', 'WEB3'], devDefault: ['ALL'], help: 'API groups, or ALL.', aliases: ['rpc-ws-apis'], needs: 'rpc-ws-enabled' },
  'rpc-ws-max-active-connections': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 80, devDefault: 1024, min: 1, help: 'Maximum number of connections on both ports together; further ones are closed immediately.', needs: 'rpc-ws-enabled' },
  'rpc-ws-max-frame-size': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 1048576, min: 1, help: 'Maximum size of a frame in bytes; a message may be four times as long.', needs: 'rpc-ws-enabled' },
  'rpc-ws-api-methods-no-auth': { type: 'list', group: 'JSON-RPC over WebSocket', default: [], help: 'Methods that need no token.', aliases: ['rpc-ws-api-method-no-auth'], later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-enabled': { type: 'boolean', group: 'JSON-RPC over WebSocket', default: false, help: 'Require a token.', later: 'refused' },
  'rpc-ws-authentication-credentials-file': { type: 'text', group: 'JSON-RPC over WebSocket', help: 'TOML file with users and password hashes.', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-jwt-public-key-file': { type: 'text', group: 'JSON-RPC over WebSocket', help: 'Public key that verifies external tokens (PEM).', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-jwt-algorithm': { type: 'choice', group: 'JSON-RPC over WebSocket', default: 'RS256', choices: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'], help: 'Signature algorithm of external tokens.', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'Xws-timeout-seconds': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 300, min: 1, hidden: true, help: 'Time limit for one message, in seconds.' },

  'rpc-profile': { type: 'choice', group: 'API behaviour', default: 'besu', devDefault: 'geth', choices: ['besu', 'geth'], help: 'Client whose conventions answers follow where besu and geth differ.' },
  'rpc-call-gas-cap': { type: 'wei', group: 'API behaviour', default: 100000000n, help: 'Gas limit of one eth_call or eth_estimateGas execution; 0: unlimited.' },
  'rpc-call-timeout-ms': { type: 'integer', group: 'API behaviour', default: 5000, min: 1, help: 'Wall-clock time limit of one call, in milliseconds.' },
  'rpc-max-logs-range': { type: 'integer', group: 'API behaviour', default: 1000, min: 0, help: 'Maximum number of blocks between fromBlock and toBlock of eth_getLogs; 0: unlimited.' },
  'rpc-max-trace-filter-range': { type: 'integer', group: 'API behaviour', default: 1000, min: 0, help: 'Maximum number of blocks between fromBlock and toBlock of trace_filter; 0: unlimited.' },
  'rpc-tx-feecap': { type: 'wei', group: 'API behaviour', default: 1000000000000000000n, devDefault: 0n, help: 'Maximum total fee of a local transaction, in wei; 0: unlimited.' },
  'revert-reason-enabled': { type: 'boolean', group: 'API behaviour', default: false, help: 'Store the revert reasons of transactions and include them in receipts.' },
  'api-gas-price-blocks': { type: 'integer', group: 'API behaviour', default: 100, min: 1, help: 'Number of recent blocks that eth_gasPrice evaluates.' },
  'api-gas-price-percentile': { type: 'number', group: 'API behaviour', default: 50, min: 0, max: 100, help: 'Percentile of recent prices that eth_gasPrice returns.' },
  'api-gas-price-max': { type: 'wei', group: 'API behaviour', default: 500000000000n, help: 'Maximum result of eth_gasPrice, in wei.' },
  'auto-log-bloom-caching-enabled': { type: 'boolean', group: 'API behaviour', default: true, help: 'Cache log blooms of old blocks in files.', later: 'ignored' },

  'graphql-http-enabled': { type: 'boolean', group: 'GraphQL', default: false, help: 'Serve GraphQL.', later: 'ignored' },
  'graphql-http-host': { type: 'text', group: 'GraphQL', default: '127.0.0.1', help: 'Address to listen on.', later: 'ignored' },
  'graphql-http-port': { type: 'integer', group: 'GraphQL', default: 8547, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'graphql-http-cors-origins': { type: 'list', group: 'GraphQL', default: [], help: 'Origins of browser pages that may call.', later: 'ignored' },

  'engine-rpc-enabled': { type: 'boolean', group: 'Engine API', default: false, help: 'Serve the Engine API.', later: 'ignored' },
  'engine-rpc-port': { type: 'integer', group: 'Engine API', default: 8551, min: 0, max: 65535, help: 'Port.', aliases: ['engine-rpc-http-port'], later: 'ignored' },
  'engine-jwt-secret': { type: 'text', group: 'Engine API', help: 'File with the secret shared with the consensus client (default: <data-path>/jwt.hex).', later: 'ignored' },
  'engine-jwt-disabled': { type: 'boolean', group: 'Engine API', default: false, help: 'Require no token.', later: 'ignored' },
  'engine-host-allowlist': { type: 'list', group: 'Engine API', default: ['localhost', '127.0.0.1'], help: 'Accepted host names of the Host header.', later: 'ignored' },

  'p2p-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Connect to peers.', later: 'ignored' },
  'discovery-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Discover peers.', later: 'ignored' },
  'bootnodes': { type: 'list', group: 'Peer to peer', help: 'Enode URLs of boot nodes (default: those of the network).', later: 'ignored' },
  'p2p-host': { type: 'text', group: 'Peer to peer', default: '127.0.0.1', help: 'Advertised address.', later: 'ignored' },
  'p2p-interface': { type: 'text', group: 'Peer to peer', default: '0.0.0.0', help: 'Address to listen on.', later: 'ignored' },
  'p2p-port': { type: 'integer', group: 'Peer to peer', default: 30303, min: 0, max: 65535, help: 'TCP and UDP port.', later: 'ignored' },
  'p2p-peer-lower-bound': { type: 'integer', group: 'Peer to peer', default: 25, min: 0, hidden: true, help: 'Number of peers below which the node looks for more.', later: 'ignored' },
  'max-peers': { type: 'integer', group: 'Peer to peer', default: 25, min: 0, help: 'Maximum number of peers.', aliases: ['p2p-peer-upper-bound'], later: 'ignored' },
  'remote-connections-limit-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Limit inbound connections.', later: 'ignored' },
  'remote-connections-max-percentage': { type: 'integer', group: 'Peer to peer', default: 60, min: 0, max: 100, help: 'Maximum share of inbound connections, in percent.', later: 'ignored' },
  'discovery-dns-url': { type: 'text', group: 'Peer to peer', help: 'DNS node list (EIP-1459).', later: 'ignored' },
  'banned-node-ids': { type: 'list', group: 'Peer to peer', default: [], help: 'Node ids to refuse as peers.', aliases: ['banned-node-id'], later: 'ignored' },
  'random-peer-priority-enabled': { type: 'boolean', group: 'Peer to peer', default: false, help: 'Prioritize inbound peers at random.', later: 'ignored' },
  'static-nodes-file': { type: 'text', group: 'Peer to peer', help: 'File with peers to stay connected to (default: <data-path>/static-nodes.json).', later: 'ignored' },
  'nat-method': { type: 'choice', group: 'Peer to peer', default: 'AUTO', choices: ['UPNP', 'UPNPP2PONLY', 'DOCKER', 'KUBERNETES', 'AUTO', 'NONE'], help: 'Method for finding the external address.', later: 'ignored' },
  'Xdns-enabled': { type: 'boolean', group: 'Peer to peer', default: false, hidden: true, help: 'Allow host names in enode URLs.', later: 'ignored' },
  'Xdns-update-enabled': { type: 'boolean', group: 'Peer to peer', default: false, hidden: true, help: 'Resolve host names repeatedly.', later: 'ignored' },
  'sync-mode': { type: 'choice', group: 'Peer to peer', choices: ['FULL', 'FAST', 'X_SNAP', 'X_CHECKPOINT'], help: 'Method for downloading the chain.', later: 'ignored' },
  'fast-sync-min-peers': { type: 'integer', group: 'Peer to peer', default: 5, min: 0, help: 'Number of peers needed before a fast sync starts.', later: 'ignored' },
  'required-blocks': { type: 'list', group: 'Peer to peer', default: [], help: 'Blocks that peers must have: number=hash.', aliases: ['required-block'], later: 'ignored' },
  'ethstats': { type: 'text', group: 'Peer to peer', help: 'URL of an ethstats server.', later: 'ignored' },
  'ethstats-contact': { type: 'text', group: 'Peer to peer', help: 'Contact address shown on the ethstats server.', later: 'ignored' },
  'ethstats-cacert-file': { type: 'text', group: 'Peer to peer', help: 'Certificate authority of the ethstats server.', later: 'ignored' },

  'miner-enabled': { type: 'boolean', group: 'Mining', default: false, help: 'Mine blocks.', later: 'ignored' },
  'miner-coinbase': { type: 'text', group: 'Mining', help: 'Beneficiary of block rewards and fees (dev chain: the zero address unless set).' },
  'miner-extra-data': { type: 'text', group: 'Mining', default: '0x', help: 'Extra data of mined blocks.' },
  'miner-stratum-enabled': { type: 'boolean', group: 'Mining', default: false, help: 'Serve Stratum.', later: 'ignored' },
  'miner-stratum-host': { type: 'text', group: 'Mining', default: '0.0.0.0', help: 'Address to listen on.', later: 'ignored' },
  'miner-stratum-port': { type: 'integer', group: 'Mining', default: 8008, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'min-gas-price': { type: 'wei', group: 'Mining', default: 1000n, devDefault: 0n, help: 'Minimum price of a transaction, in wei; also the minimum result of eth_gasPrice.' },
  'min-block-occupancy-ratio': { type: 'number', group: 'Mining', default: 0.8, min: 0, max: 1, help: 'Gas usage at which a block is complete, as a fraction of its limit.', later: 'ignored' },
  'target-gas-limit': { type: 'wei', group: 'Mining', help: 'Gas limit that mined blocks approach.' },
  'Xminer-remote-sealers-limit': { type: 'integer', group: 'Mining', default: 1000, min: 0, hidden: true, help: 'Maximum number of remote sealers.', later: 'ignored' },
  'Xminer-remote-sealers-hashrate-ttl': { type: 'integer', group: 'Mining', default: 10, min: 0, hidden: true, help: 'Lifetime of a reported hash rate, in minutes.', later: 'ignored' },
  'Xminer-stratum-extranonce': { type: 'text', group: 'Mining', default: '080c', hidden: true, help: 'Extra nonce of Stratum sessions.', later: 'ignored' },
  'Xminer-pow-job-ttl': { type: 'integer', group: 'Mining', default: 300000, min: 0, hidden: true, help: 'Lifetime of mining work, in milliseconds.', later: 'ignored' },
  'Xmax-ommers-depth': { type: 'integer', group: 'Mining', default: 8, min: 0, hidden: true, help: 'Depth of accepted work.', later: 'ignored' },

  'tx-pool-max-size': { type: 'integer', group: 'Transaction pool', default: 4096, devDefault: 32768, min: 1, help: 'Maximum number of transactions.' },
  'tx-pool-retention-hours': { type: 'integer', group: 'Transaction pool', default: 13, min: 1, help: 'Hours after which a transaction is removed.' },
  'tx-pool-price-bump': { type: 'integer', group: 'Transaction pool', default: 10, min: 0, max: 100, help: 'Minimum price increase of a replacement, in percent.' },
  'tx-pool-limit-by-account-percentage': { type: 'number', group: 'Transaction pool', default: 0.001, devDefault: 1, min: 0, max: 1, help: 'Maximum share of the pool per account, as a fraction.' },
  'strict-tx-replay-protection-enabled': { type: 'boolean', group: 'Transaction pool', default: false, help: 'Refuse transactions without a chain id.' },

  'permissions-nodes-config-file-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Enable the node allowlist in a file.', later: 'refused' },
  'permissions-nodes-config-file': { type: 'text', group: 'Permissioning', help: 'File with the node allowlist.', later: 'ignored', needs: 'permissions-nodes-config-file-enabled' },
  'permissions-accounts-config-file-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Enable the account allowlist in a file.', later: 'refused' },
  'permissions-accounts-config-file': { type: 'text', group: 'Permissioning', help: 'File with the account allowlist.', later: 'ignored', needs: 'permissions-accounts-config-file-enabled' },
  'permissions-nodes-contract-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Enable the node allowlist in a contract.', later: 'refused' },
  'permissions-nodes-contract-address': { type: 'text', group: 'Permissioning', help: 'Address of the node allowlist contract.', later: 'ignored', needs: 'permissions-nodes-contract-enabled' },
  'permissions-nodes-contract-version': { type: 'integer', group: 'Permissioning', default: 1, min: 1, help: 'Interface version of the node allowlist contract.', later: 'ignored', needs: 'permissions-nodes-contract-enabled' },
  'permissions-accounts-contract-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Enable the account allowlist in a contract.', later: 'refused' },
  'permissions-accounts-contract-address': { type: 'text', group: 'Permissioning', help: 'Address of the account allowlist contract.', later: 'ignored', needs: 'permissions-accounts-contract-enabled' },

  'privacy-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Enable private transactions.', later: 'refused' },
  'privacy-url': { type: 'text', group: 'Privacy', default: 'http://localhost:8888', help: 'URL of the enclave.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-public-key-file': { type: 'text', group: 'Privacy', help: "File with this node's public key in the enclave.", later: 'ignored', needs: 'privacy-enabled' },
  'privacy-multi-tenancy-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Serve several tenants.', later: 'refused' },
  'privacy-marker-transaction-signing-key-file': { type: 'text', group: 'Privacy', help: 'File with the key that signs privacy marker transactions.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-flexible-groups-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Enable privacy groups that a contract manages.', aliases: ['privacy-onchain-groups-enabled'], later: 'ignored', needs: 'privacy-enabled' },
  'privacy-enable-database-migration': { type: 'boolean', group: 'Privacy', default: false, help: 'Migrate an old private database.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-tls-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Connect to the enclave over TLS.', later: 'refused' },
  'privacy-tls-keystore-file': { type: 'text', group: 'Privacy', help: 'Key store (PKCS#12).', later: 'ignored', needs: 'privacy-tls-enabled' },
  'privacy-tls-keystore-password-file': { type: 'text', group: 'Privacy', help: 'File with the password of the TLS key store.', later: 'ignored', needs: 'privacy-tls-enabled' },
  'privacy-tls-known-enclave-file': { type: 'text', group: 'Privacy', help: 'File with the fingerprints of known enclaves.', later: 'ignored', needs: 'privacy-tls-enabled' },

  'metrics-enabled': { type: 'boolean', group: 'Metrics', default: false, help: 'Serve metrics.', later: 'ignored' },
  'metrics-protocol': { type: 'choice', group: 'Metrics', default: 'PROMETHEUS', choices: ['PROMETHEUS', 'OPENTELEMETRY', 'NONE'], help: 'Metrics protocol.', later: 'ignored' },
  'metrics-host': { type: 'text', group: 'Metrics', default: '127.0.0.1', help: 'Address to listen on.', later: 'ignored' },
  'metrics-port': { type: 'integer', group: 'Metrics', default: 9545, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'metrics-category': { type: 'list', group: 'Metrics', default: [], help: 'Enabled metric categories.', aliases: ['metrics-categories'], later: 'ignored' },
  'metrics-push-enabled': { type: 'boolean', group: 'Metrics', default: false, help: 'Push metrics to a gateway.', later: 'ignored' },
  'metrics-push-host': { type: 'text', group: 'Metrics', default: '127.0.0.1', help: 'Host of the push gateway.', later: 'ignored' },
  'metrics-push-port': { type: 'integer', group: 'Metrics', default: 9001, min: 0, max: 65535, help: 'Port of the push gateway.', later: 'ignored' },
  'metrics-push-interval': { type: 'integer', group: 'Metrics', default: 15, min: 1, help: 'Interval between pushes, in seconds.', later: 'ignored' },
  'metrics-push-prometheus-job': { type: 'text', group: 'Metrics', default: 'besu-client', help: 'Job name of pushed metrics.', later: 'ignored' },
} as const

export type OptionName = keyof typeof OPTIONS

/** Options of one subcommand only. */
// biome-ignore format: one option per line reads as a table
export const COMMAND_OPTIONS = {
  'blocks import': {
    'from': { type: 'list', group: 'blocks import', default: [], help: 'Block files (more may follow as arguments).' },
    'format': { type: 'choice', group: 'blocks import', default: 'RLP', choices: ['RLP', 'JSON'], help: 'Format of the files.' },
    'skip-pow-validation-enabled': { type: 'boolean', group: 'blocks import', default: false, help: 'Do not verify proof-of-work seals.' },
    'run': { type: 'boolean', group: 'blocks import', default: false, help: 'Start the node after the import.' },
    'start-block': { type: 'wei', group: 'blocks import', help: 'First block to import.' },
    'end-block': { type: 'wei', group: 'blocks import', help: 'First block that is not imported.' },
    'start-time': { type: 'integer', group: 'blocks import', help: 'Timestamp of the first block of a JSON file.', later: 'ignored' },
  },
  'blocks export': {
    'to': { type: 'text', group: 'blocks export', required: true, help: 'File to write.' },
    'start-block': { type: 'integer', group: 'blocks export', help: 'First block (default: 0).' },
    'end-block': { type: 'integer', group: 'blocks export', help: 'First block that is not exported (default: the block after the head).' },
  },
  'public-key export': {
    'to': { type: 'text', group: 'public-key export', help: 'File to write (default: print).' },
    'ec-curve': { type: 'choice', group: 'public-key export', default: 'secp256k1', choices: ['secp256k1'], help: 'Curve of the key.' },
  },
  'public-key export-address': {
    'to': { type: 'text', group: 'public-key export-address', help: 'File to write (default: print).' },
    'ec-curve': { type: 'choice', group: 'public-key export-address', default: 'secp256k1', choices: ['secp256k1'], help: 'Curve of the key.' },
  },
  'password hash': {
    'password': { type: 'text', group: 'password hash', required: true, help: 'The password.' },
  },
  'validate-config': {},
} as const

export type CommandName = keyof typeof COMMAND_OPTIONS

interface ValueTypes {
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  readonly wei: bigint
  readonly text: string
  readonly list: readonly string[]
  readonly choice: string
}

type Value<S> = S extends { readonly type: infer T extends OptionType }
  ? T extends 'choice'
    ? S extends { readonly choices: readonly (infer C)[] }
      ? C
      : string
    : ValueTypes[T]
  : never

/** Values by option name; undefined where there is neither a value nor a default. */
export type Values<T> = {
  readonly [K in keyof T]: T[K] extends { readonly default: unknown } | { readonly required: true }
    ? Value<T[K]>
    : Value<T[K]> | undefined
}

export type NodeOptions = Values<typeof OPTIONS>
export type CommandValues<C extends CommandName> = Values<(typeof COMMAND_OPTIONS)[C]>

/** Returns the defaults of all options. */
export function defaultOptions(isDev: boolean): NodeOptions {
  const table: Readonly<Record<string, OptionSpec>> = OPTIONS
  return Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, defaultOf(spec, isDev)]),
  ) as unknown as NodeOptions
}

export function defaultOf(spec: OptionSpec, isDev: boolean): OptionSpec['default'] {
  return isDev && spec.devDefault !== undefined ? spec.devDefault : spec.default
}

/** Names of the environment variables of an option, in order of precedence. */
export function environmentNames(option: string): readonly string[] {
  const name = option.toUpperCase().replaceAll('-', '_')
  return [`ISONODE_${name}`, `BESU_${name}`, `PANTHEON_${name}`]
}
