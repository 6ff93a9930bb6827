/**
 * The one option table. Command line, environment, TOML keys, defaults, types, `--help` and the documentation derive
 * from it. Names and defaults follow Besu 23.4; what is new here has no counterpart there.
 * @module
 */

export type OptionType = 'boolean' | 'integer' | 'number' | 'wei' | 'text' | 'list' | 'choice'

export interface OptionSpec {
  readonly type: OptionType
  readonly group: string
  readonly help: string
  readonly default?: boolean | number | bigint | string | readonly string[]
  /** On the dev chain, where it differs. */
  readonly devDefault?: boolean | number | bigint | string | readonly string[]
  readonly aliases?: readonly string[]
  /** Values of a choice, in any case. */
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  /**
   * Not built yet. `ignored`: existing command lines start, with a warning. `refused`: it protects the node or changes what
   * it computes, so that a value other than the default ends the start.
   */
  readonly later?: 'ignored' | 'refused'
  readonly hidden?: boolean
  /** A command does not run without it. */
  readonly required?: boolean
  /** Has no effect unless this boolean option is on; using it without is a warning. */
  readonly needs?: string
}

// biome-ignore format: one option a line reads as a table
export const OPTIONS = {
  'help': { type: 'boolean', group: 'General', default: false, help: 'Show this help and exit.', aliases: ['h'] },
  'version': { type: 'boolean', group: 'General', default: false, help: 'Print the version and exit.', aliases: ['V'] },
  'data-path': { type: 'text', group: 'General', help: 'Directory of everything that is kept (default: .isonode/<network>).' },
  'genesis-file': { type: 'text', group: 'General', help: 'Genesis file of Besu or geth; not together with --network.' },
  'network': { type: 'choice', group: 'General', choices: ['MAINNET', 'GOERLI', 'SEPOLIA', 'RINKEBY', 'DEV', 'FUTURE_EIPS', 'EXPERIMENTAL_EIPS', 'CLASSIC', 'KOTTI', 'MORDOR'], help: 'Named network, in any case; not together with --genesis-file.' },
  'network-id': { type: 'wei', group: 'General', help: 'P2P network id (default: that of the network, or the chain id).' },
  'config-file': { type: 'text', group: 'General', help: 'TOML file with options; keys are the names below.' },
  'dev': { type: 'boolean', group: 'General', default: false, help: 'The dev chain; what runs without --network and --genesis-file.' },
  'dev-fork': { type: 'choice', group: 'General', choices: ['PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA'], help: 'Fork of a new dev chain (default: the newest).' },
  'dev-block-time': { type: 'number', group: 'General', default: 0, min: 0, help: 'Seconds between the blocks of the dev chain; 0: one block a transaction, at once.' },
  'ephemeral': { type: 'boolean', group: 'General', default: false, help: 'Keep nothing: the store is in memory.' },
  'identity': { type: 'text', group: 'General', help: 'Name shown in web3_clientVersion.' },
  'logging': { type: 'choice', group: 'General', default: 'INFO', choices: ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'], help: 'Log level.', aliases: ['l'] },
  'color-enabled': { type: 'boolean', group: 'General', default: true, help: 'Colours in the log.', later: 'ignored' },
  'pid-path': { type: 'text', group: 'General', help: 'File that gets the process id.', later: 'ignored' },
  'node-private-key-file': { type: 'text', group: 'General', help: 'Private key of the node (default: <data-path>/key).' },
  'reorg-logging-threshold': { type: 'integer', group: 'General', default: 6, min: 0, help: 'A reorganisation that removes more blocks is logged as a warning.' },
  'key-value-storage': { type: 'text', group: 'General', help: 'Accepted for compatibility; the store is LMDB.', later: 'ignored' },
  'security-module': { type: 'text', group: 'General', default: 'localfile', help: 'Where the node key is kept.', later: 'refused' },

  'data-storage-format': { type: 'choice', group: 'Storage', default: 'FOREST', choices: ['FOREST', 'BONSAI'], help: 'FOREST keeps every state.' },
  'data-durability': { type: 'choice', group: 'Storage', default: 'power', devDefault: 'process', choices: ['power', 'process'], help: 'What a commit survives: a loss of power, or only a killed program.' },
  'pruning-enabled': { type: 'boolean', group: 'Storage', default: false, help: 'Drop old states.', later: 'ignored' },
  'pruning-blocks-retained': { type: 'integer', group: 'Storage', default: 1024, min: 1, help: 'States kept when pruning.', later: 'ignored' },
  'pruning-block-confirmations': { type: 'integer', group: 'Storage', default: 10, min: 0, help: 'Confirmations before pruning.', later: 'ignored' },
  'bonsai-historical-block-limit': { type: 'integer', group: 'Storage', default: 512, min: 0, help: 'States kept by BONSAI.', aliases: ['bonsai-maximum-back-layers-to-load'], later: 'ignored' },

  'evm': { type: 'choice', group: 'Execution', default: 'native', choices: ['native', 'reference'], help: 'Execution engine: the own WebAssembly interpreter, or @ethereumjs/evm.' },
  'evm-cross-check': { type: 'boolean', group: 'Execution', default: false, help: 'Run every imported block a second time through @ethereumjs/vm and compare.' },
  'kzg-trusted-setup': { type: 'text', group: 'Execution', help: 'Trusted setup file (default: built in).', later: 'refused' },

  'rpc-http-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, devDefault: true, help: 'Serve JSON-RPC over HTTP.' },
  'rpc-http-host': { type: 'text', group: 'JSON-RPC over HTTP', default: '127.0.0.1', help: 'Address to listen on.', needs: 'rpc-http-enabled' },
  'rpc-http-port': { type: 'integer', group: 'JSON-RPC over HTTP', default: 8545, min: 0, max: 65535, help: 'Port; 0 takes a free one and prints it.', needs: 'rpc-http-enabled' },
  'rpc-http-api': { type: 'list', group: 'JSON-RPC over HTTP', default: ['ETH', 'NET', 'WEB3'], devDefault: ['ALL'], help: 'API groups, or ALL.', aliases: ['rpc-http-apis'], needs: 'rpc-http-enabled' },
  'rpc-http-max-active-connections': { type: 'integer', group: 'JSON-RPC over HTTP', default: 80, devDefault: 1024, min: 1, help: 'Further connections are closed at once.', needs: 'rpc-http-enabled' },
  'rpc-http-max-batch-size': { type: 'integer', group: 'JSON-RPC over HTTP', default: 1024, help: 'Requests in one batch; 0 or less: any number.', needs: 'rpc-http-enabled' },
  'rpc-http-max-request-content-length': { type: 'integer', group: 'JSON-RPC over HTTP', default: 5242880, min: 1, help: 'Bytes of one request body.', needs: 'rpc-http-enabled' },
  'rpc-http-cors-origins': { type: 'list', group: 'JSON-RPC over HTTP', default: [], devDefault: ['https?://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?', '(chrome|moz)-extension://.*'], help: 'Origins that may call from a browser, over WebSocket too: expressions, `all` or `none`.' },
  'rpc-http-api-methods-no-auth': { type: 'list', group: 'JSON-RPC over HTTP', default: [], help: 'Methods that need no token.', aliases: ['rpc-http-api-method-no-auth'], later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Ask for a token.', later: 'refused' },
  'rpc-http-authentication-credentials-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Users (TOML).', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-jwt-public-key-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Key of external tokens (PEM).', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-authentication-jwt-algorithm': { type: 'choice', group: 'JSON-RPC over HTTP', default: 'RS256', choices: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'], help: 'Algorithm of external tokens.', later: 'ignored', needs: 'rpc-http-authentication-enabled' },
  'rpc-http-tls-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'TLS.', later: 'refused' },
  'rpc-http-tls-keystore-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Key store (PKCS#12).', later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-keystore-password-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Its password.', later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-client-auth-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Ask clients for certificates.', later: 'refused' },
  'rpc-http-tls-known-clients-file': { type: 'text', group: 'JSON-RPC over HTTP', help: 'Fingerprints of known clients.', later: 'ignored', needs: 'rpc-http-tls-client-auth-enabled' },
  'rpc-http-tls-ca-clients-enabled': { type: 'boolean', group: 'JSON-RPC over HTTP', default: false, help: 'Accept clients that a CA signed.', later: 'ignored', needs: 'rpc-http-tls-client-auth-enabled' },
  'rpc-http-tls-protocols': { type: 'list', group: 'JSON-RPC over HTTP', default: ['TLSv1.3', 'TLSv1.2'], help: 'TLS versions.', aliases: ['rpc-http-tls-protocol'], later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'rpc-http-tls-cipher-suites': { type: 'list', group: 'JSON-RPC over HTTP', default: [], help: 'TLS cipher suites.', aliases: ['rpc-http-tls-cipher-suite'], later: 'ignored', needs: 'rpc-http-tls-enabled' },
  'host-allowlist': { type: 'list', group: 'JSON-RPC over HTTP', default: ['localhost', '127.0.0.1'], help: 'Host headers that are answered; `*` or `all`: any.', aliases: ['host-whitelist'] },
  'Xhttp-timeout-seconds': { type: 'integer', group: 'JSON-RPC over HTTP', default: 300, min: 1, hidden: true, help: 'Longest processing of one request.' },

  'rpc-ws-enabled': { type: 'boolean', group: 'JSON-RPC over WebSocket', default: false, devDefault: true, help: 'Serve JSON-RPC over WebSocket, on the HTTP port too.' },
  'rpc-ws-host': { type: 'text', group: 'JSON-RPC over WebSocket', default: '127.0.0.1', help: 'Address to listen on.', needs: 'rpc-ws-enabled' },
  'rpc-ws-port': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 8546, min: 0, max: 65535, help: 'Port; 0 takes a free one and prints it.', needs: 'rpc-ws-enabled' },
  'rpc-ws-api': { type: 'list', group: 'JSON-RPC over WebSocket', default: ['ETH', 'NET', 'WEB3'], devDefault: ['ALL'], help: 'API groups, or ALL.', aliases: ['rpc-ws-apis'], needs: 'rpc-ws-enabled' },
  'rpc-ws-max-active-connections': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 80, devDefault: 1024, min: 1, help: 'By both ports together; further connections are closed at once.', needs: 'rpc-ws-enabled' },
  'rpc-ws-max-frame-size': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 1048576, min: 1, help: 'Bytes of one frame; a message may be four times as long.', needs: 'rpc-ws-enabled' },
  'rpc-ws-api-methods-no-auth': { type: 'list', group: 'JSON-RPC over WebSocket', default: [], help: 'Methods that need no token.', aliases: ['rpc-ws-api-method-no-auth'], later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-enabled': { type: 'boolean', group: 'JSON-RPC over WebSocket', default: false, help: 'Ask for a token.', later: 'refused' },
  'rpc-ws-authentication-credentials-file': { type: 'text', group: 'JSON-RPC over WebSocket', help: 'Users (TOML).', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-jwt-public-key-file': { type: 'text', group: 'JSON-RPC over WebSocket', help: 'Key of external tokens (PEM).', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'rpc-ws-authentication-jwt-algorithm': { type: 'choice', group: 'JSON-RPC over WebSocket', default: 'RS256', choices: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'], help: 'Algorithm of external tokens.', later: 'ignored', needs: 'rpc-ws-authentication-enabled' },
  'Xws-timeout-seconds': { type: 'integer', group: 'JSON-RPC over WebSocket', default: 300, min: 1, hidden: true, help: 'Longest processing of one message.' },

  'rpc-profile': { type: 'choice', group: 'API behaviour', default: 'besu', devDefault: 'geth', choices: ['besu', 'geth'], help: 'Whose conventions answers follow where the two differ.' },
  'rpc-call-gas-cap': { type: 'wei', group: 'API behaviour', default: 100000000n, help: 'Most gas of one eth_call or eth_estimateGas run; 0: no cap.' },
  'rpc-call-timeout-ms': { type: 'integer', group: 'API behaviour', default: 5000, min: 1, help: 'Longest wall-clock time of one call, milliseconds.' },
  'rpc-max-logs-range': { type: 'integer', group: 'API behaviour', default: 1000, min: 0, help: 'Most blocks between fromBlock and toBlock of eth_getLogs; 0: any.' },
  'rpc-max-trace-filter-range': { type: 'integer', group: 'API behaviour', default: 1000, min: 0, help: 'Most blocks between fromBlock and toBlock of trace_filter; 0: any.' },
  'rpc-tx-feecap': { type: 'wei', group: 'API behaviour', default: 1000000000000000000n, devDefault: 0n, help: 'Most wei that one local transaction may cost in fees; 0: any.' },
  'revert-reason-enabled': { type: 'boolean', group: 'API behaviour', default: false, help: 'Keep the revert reasons of transactions in receipts.' },
  'api-gas-price-blocks': { type: 'integer', group: 'API behaviour', default: 100, min: 1, help: 'Blocks that eth_gasPrice looks at.' },
  'api-gas-price-percentile': { type: 'number', group: 'API behaviour', default: 50, min: 0, max: 100, help: 'Percentile that eth_gasPrice answers.' },
  'api-gas-price-max': { type: 'wei', group: 'API behaviour', default: 500000000000n, help: 'Upper bound of eth_gasPrice, wei.' },
  'auto-log-bloom-caching-enabled': { type: 'boolean', group: 'API behaviour', default: true, help: 'Keep bloom files of old blocks.', later: 'ignored' },

  'graphql-http-enabled': { type: 'boolean', group: 'GraphQL', default: false, help: 'Serve GraphQL.', later: 'ignored' },
  'graphql-http-host': { type: 'text', group: 'GraphQL', default: '127.0.0.1', help: 'Address to listen on.', later: 'ignored' },
  'graphql-http-port': { type: 'integer', group: 'GraphQL', default: 8547, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'graphql-http-cors-origins': { type: 'list', group: 'GraphQL', default: [], help: 'Origins that may call from a browser.', later: 'ignored' },

  'engine-rpc-enabled': { type: 'boolean', group: 'Engine API', default: false, help: 'Serve the engine API.', later: 'ignored' },
  'engine-rpc-port': { type: 'integer', group: 'Engine API', default: 8551, min: 0, max: 65535, help: 'Port.', aliases: ['engine-rpc-http-port'], later: 'ignored' },
  'engine-jwt-secret': { type: 'text', group: 'Engine API', help: 'Secret of the consensus client (default: <data-path>/jwt.hex).', later: 'ignored' },
  'engine-jwt-disabled': { type: 'boolean', group: 'Engine API', default: false, help: 'Ask for no token.', later: 'ignored' },
  'engine-host-allowlist': { type: 'list', group: 'Engine API', default: ['localhost', '127.0.0.1'], help: 'Host headers that are answered.', later: 'ignored' },

  'p2p-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Connect to peers.', later: 'ignored' },
  'discovery-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Look for peers.', later: 'ignored' },
  'bootnodes': { type: 'list', group: 'Peer to peer', help: 'Enode URLs to start from (default: those of the network).', later: 'ignored' },
  'p2p-host': { type: 'text', group: 'Peer to peer', default: '127.0.0.1', help: 'Address that is advertised.', later: 'ignored' },
  'p2p-interface': { type: 'text', group: 'Peer to peer', default: '0.0.0.0', help: 'Address to listen on.', later: 'ignored' },
  'p2p-port': { type: 'integer', group: 'Peer to peer', default: 30303, min: 0, max: 65535, help: 'TCP and UDP port.', later: 'ignored' },
  'p2p-peer-lower-bound': { type: 'integer', group: 'Peer to peer', default: 25, min: 0, hidden: true, help: 'Peers below which more are looked for.', later: 'ignored' },
  'max-peers': { type: 'integer', group: 'Peer to peer', default: 25, min: 0, help: 'Peers at a time.', aliases: ['p2p-peer-upper-bound'], later: 'ignored' },
  'remote-connections-limit-enabled': { type: 'boolean', group: 'Peer to peer', default: true, help: 'Limit the peers that connect to us.', later: 'ignored' },
  'remote-connections-max-percentage': { type: 'integer', group: 'Peer to peer', default: 60, min: 0, max: 100, help: 'Their share of all peers.', later: 'ignored' },
  'discovery-dns-url': { type: 'text', group: 'Peer to peer', help: 'DNS list of peers.', later: 'ignored' },
  'banned-node-ids': { type: 'list', group: 'Peer to peer', default: [], help: 'Node ids that are never peers.', aliases: ['banned-node-id'], later: 'ignored' },
  'random-peer-priority-enabled': { type: 'boolean', group: 'Peer to peer', default: false, help: 'Prefer peers at random.', later: 'ignored' },
  'static-nodes-file': { type: 'text', group: 'Peer to peer', help: 'Peers to keep (default: <data-path>/static-nodes.json).', later: 'ignored' },
  'nat-method': { type: 'choice', group: 'Peer to peer', default: 'AUTO', choices: ['UPNP', 'UPNPP2PONLY', 'DOCKER', 'KUBERNETES', 'AUTO', 'NONE'], help: 'How the outer address is found.', later: 'ignored' },
  'Xdns-enabled': { type: 'boolean', group: 'Peer to peer', default: false, hidden: true, help: 'Host names in enode URLs.', later: 'ignored' },
  'Xdns-update-enabled': { type: 'boolean', group: 'Peer to peer', default: false, hidden: true, help: 'Look host names up again.', later: 'ignored' },
  'sync-mode': { type: 'choice', group: 'Peer to peer', choices: ['FULL', 'FAST', 'X_SNAP', 'X_CHECKPOINT'], help: 'How the chain is downloaded.', later: 'ignored' },
  'fast-sync-min-peers': { type: 'integer', group: 'Peer to peer', default: 5, min: 0, help: 'Peers before a fast sync begins.', later: 'ignored' },
  'required-blocks': { type: 'list', group: 'Peer to peer', default: [], help: 'number=hash that peers must have.', aliases: ['required-block'], later: 'ignored' },
  'ethstats': { type: 'text', group: 'Peer to peer', help: 'Statistics server.', later: 'ignored' },
  'ethstats-contact': { type: 'text', group: 'Peer to peer', help: 'Contact shown there.', later: 'ignored' },
  'ethstats-cacert-file': { type: 'text', group: 'Peer to peer', help: 'Its certificate authority.', later: 'ignored' },

  'miner-enabled': { type: 'boolean', group: 'Mining', default: false, help: 'Mine.', later: 'ignored' },
  'miner-coinbase': { type: 'text', group: 'Mining', help: 'Account that is paid (dev chain: nobody, unless set).' },
  'miner-extra-data': { type: 'text', group: 'Mining', default: '0x', help: 'Extra data of mined blocks.' },
  'miner-stratum-enabled': { type: 'boolean', group: 'Mining', default: false, help: 'Serve Stratum.', later: 'ignored' },
  'miner-stratum-host': { type: 'text', group: 'Mining', default: '0.0.0.0', help: 'Address to listen on.', later: 'ignored' },
  'miner-stratum-port': { type: 'integer', group: 'Mining', default: 8008, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'min-gas-price': { type: 'wei', group: 'Mining', default: 1000n, devDefault: 0n, help: 'Least price of a transaction, wei; also the least eth_gasPrice.' },
  'min-block-occupancy-ratio': { type: 'number', group: 'Mining', default: 0.8, min: 0, max: 1, help: 'How full a block is before it is closed.', later: 'ignored' },
  'target-gas-limit': { type: 'wei', group: 'Mining', help: 'Gas limit that mined blocks move to.' },
  'Xminer-remote-sealers-limit': { type: 'integer', group: 'Mining', default: 1000, min: 0, hidden: true, help: 'Remote sealers known.', later: 'ignored' },
  'Xminer-remote-sealers-hashrate-ttl': { type: 'integer', group: 'Mining', default: 10, min: 0, hidden: true, help: 'Minutes that a hash rate counts.', later: 'ignored' },
  'Xminer-stratum-extranonce': { type: 'text', group: 'Mining', default: '080c', hidden: true, help: 'Extra nonce of Stratum sessions.', later: 'ignored' },
  'Xminer-pow-job-ttl': { type: 'integer', group: 'Mining', default: 300000, min: 0, hidden: true, help: 'Milliseconds that work is accepted.', later: 'ignored' },
  'Xmax-ommers-depth': { type: 'integer', group: 'Mining', default: 8, min: 0, hidden: true, help: 'Depth of accepted work.', later: 'ignored' },

  'tx-pool-max-size': { type: 'integer', group: 'Transaction pool', default: 4096, devDefault: 32768, min: 1, help: 'Transactions kept.' },
  'tx-pool-retention-hours': { type: 'integer', group: 'Transaction pool', default: 13, min: 1, help: 'Hours that they are kept.' },
  'tx-pool-price-bump': { type: 'integer', group: 'Transaction pool', default: 10, min: 0, max: 100, help: 'Percent by which a replacement must pay more.' },
  'tx-pool-limit-by-account-percentage': { type: 'number', group: 'Transaction pool', default: 0.001, devDefault: 1, min: 0, max: 1, help: 'Share of the pool that one account may take.' },
  'strict-tx-replay-protection-enabled': { type: 'boolean', group: 'Transaction pool', default: false, help: 'Refuse transactions without a chain id.' },

  'permissions-nodes-config-file-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Node allowlist from a file.', later: 'refused' },
  'permissions-nodes-config-file': { type: 'text', group: 'Permissioning', help: 'That file.', later: 'ignored', needs: 'permissions-nodes-config-file-enabled' },
  'permissions-accounts-config-file-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Account allowlist from a file.', later: 'refused' },
  'permissions-accounts-config-file': { type: 'text', group: 'Permissioning', help: 'That file.', later: 'ignored', needs: 'permissions-accounts-config-file-enabled' },
  'permissions-nodes-contract-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Node allowlist from a contract.', later: 'refused' },
  'permissions-nodes-contract-address': { type: 'text', group: 'Permissioning', help: 'That contract.', later: 'ignored', needs: 'permissions-nodes-contract-enabled' },
  'permissions-nodes-contract-version': { type: 'integer', group: 'Permissioning', default: 1, min: 1, help: 'Its interface.', later: 'ignored', needs: 'permissions-nodes-contract-enabled' },
  'permissions-accounts-contract-enabled': { type: 'boolean', group: 'Permissioning', default: false, help: 'Account allowlist from a contract.', later: 'refused' },
  'permissions-accounts-contract-address': { type: 'text', group: 'Permissioning', help: 'That contract.', later: 'ignored', needs: 'permissions-accounts-contract-enabled' },

  'privacy-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Private transactions.', later: 'refused' },
  'privacy-url': { type: 'text', group: 'Privacy', default: 'http://localhost:8888', help: 'Enclave.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-public-key-file': { type: 'text', group: 'Privacy', help: 'Key of this node in the enclave.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-multi-tenancy-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Several tenants.', later: 'refused' },
  'privacy-marker-transaction-signing-key-file': { type: 'text', group: 'Privacy', help: 'Key that signs markers.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-flexible-groups-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'Groups kept on the chain.', aliases: ['privacy-onchain-groups-enabled'], later: 'ignored', needs: 'privacy-enabled' },
  'privacy-enable-database-migration': { type: 'boolean', group: 'Privacy', default: false, help: 'Migrate an older private database.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-tls-enabled': { type: 'boolean', group: 'Privacy', default: false, help: 'TLS to the enclave.', later: 'refused' },
  'privacy-tls-keystore-file': { type: 'text', group: 'Privacy', help: 'Key store (PKCS#12).', later: 'ignored', needs: 'privacy-tls-enabled' },
  'privacy-tls-keystore-password-file': { type: 'text', group: 'Privacy', help: 'Its password.', later: 'ignored', needs: 'privacy-tls-enabled' },
  'privacy-tls-known-enclave-file': { type: 'text', group: 'Privacy', help: 'Fingerprints of known enclaves.', later: 'ignored', needs: 'privacy-tls-enabled' },

  'metrics-enabled': { type: 'boolean', group: 'Metrics', default: false, help: 'Serve metrics.', later: 'ignored' },
  'metrics-protocol': { type: 'choice', group: 'Metrics', default: 'PROMETHEUS', choices: ['PROMETHEUS', 'OPENTELEMETRY', 'NONE'], help: 'Protocol.', later: 'ignored' },
  'metrics-host': { type: 'text', group: 'Metrics', default: '127.0.0.1', help: 'Address to listen on.', later: 'ignored' },
  'metrics-port': { type: 'integer', group: 'Metrics', default: 9545, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'metrics-category': { type: 'list', group: 'Metrics', default: [], help: 'Categories.', aliases: ['metrics-categories'], later: 'ignored' },
  'metrics-push-enabled': { type: 'boolean', group: 'Metrics', default: false, help: 'Push metrics.', later: 'ignored' },
  'metrics-push-host': { type: 'text', group: 'Metrics', default: '127.0.0.1', help: 'Gateway.', later: 'ignored' },
  'metrics-push-port': { type: 'integer', group: 'Metrics', default: 9001, min: 0, max: 65535, help: 'Its port.', later: 'ignored' },
  'metrics-push-interval': { type: 'integer', group: 'Metrics', default: 15, min: 1, help: 'Seconds between pushes.', later: 'ignored' },
  'metrics-push-prometheus-job': { type: 'text', group: 'Metrics', default: 'besu-client', help: 'Job name.', later: 'ignored' },
} as const

export type OptionName = keyof typeof OPTIONS

/** Options of one subcommand only. */
// biome-ignore format: one option a line reads as a table
export const COMMAND_OPTIONS = {
  'blocks import': {
    'from': { type: 'list', group: 'blocks import', default: [], help: 'Files of blocks (more may follow as arguments).' },
    'format': { type: 'choice', group: 'blocks import', default: 'RLP', choices: ['RLP', 'JSON'], help: 'Format of the files.' },
    'skip-pow-validation-enabled': { type: 'boolean', group: 'blocks import', default: false, help: 'Do not check the seals of proof of work.' },
    'run': { type: 'boolean', group: 'blocks import', default: false, help: 'Start the node afterwards.' },
    'start-block': { type: 'wei', group: 'blocks import', help: 'First block to import.' },
    'end-block': { type: 'wei', group: 'blocks import', help: 'First block not to import any more.' },
    'start-time': { type: 'integer', group: 'blocks import', help: 'Time of the first block of a JSON file.', later: 'ignored' },
  },
  'blocks export': {
    'to': { type: 'text', group: 'blocks export', required: true, help: 'File to write.' },
    'start-block': { type: 'integer', group: 'blocks export', help: 'First block (default: 0).' },
    'end-block': { type: 'integer', group: 'blocks export', help: 'First block left out (default: all up to the head).' },
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

/** What the options are when nothing is set. */
export function defaultOptions(isDev: boolean): NodeOptions {
  const table: Readonly<Record<string, OptionSpec>> = OPTIONS
  return Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, defaultOf(spec, isDev)]),
  ) as unknown as NodeOptions
}

export function defaultOf(spec: OptionSpec, isDev: boolean): OptionSpec['default'] {
  return isDev && spec.devDefault !== undefined ? spec.devDefault : spec.default
}

/** Names of the environment variable of an option, first choice first. */
export function environmentNames(option: string): readonly string[] {
  const name = option.toUpperCase().replaceAll('-', '_')
  return [`ISONODE_${name}`, `BESU_${name}`, `PANTHEON_${name}`]
}
