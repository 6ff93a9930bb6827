/**
 * Generated from the table of options: run `npm run docs` after a change of the table.
 * @module
 */

/** Options of the command line that have no property of their own in `StartOptions`. */
export interface NodeFlags {
  // General

  /** Name shown in web3_clientVersion. Default: none. */
  readonly identity?: string | undefined
  /** Modules of plugins to run in the node: files, or installed packages. Default: none. */
  readonly plugins?: readonly string[] | undefined

  // Dev chain

  /** Number of the genesis block. Default: 0. */
  readonly number?: number | undefined
  /**
   * Maximum size of a contract's code, and half the maximum of its init code. Without it, the fork's limit applies
   * (EIP-170: 24,576). Unit: bytes. Default: none.
   */
  readonly codeSizeLimit?: number | undefined
  /** Lift the gas cap on calls and the EIP-7825 cap on transactions; only `gasLimit` remains. Default: false. */
  readonly allowUnlimitedGas?: boolean | undefined
  /**
   * Distance of the block `safe` from the head; `finalized` is twice as far behind. 0: both are the head. Unit: blocks.
   * Default: 0.
   */
  readonly slotsInAnEpoch?: number | undefined
  /** Dump the chain on exit to this file, or to state.json in this directory. Default: none. */
  readonly dumpState?: string | undefined
  /** Interval of additional dumps to the file of `state` or `dumpState`. Unit: seconds. Default: none. */
  readonly stateInterval?: number | undefined

  // Accounts of the dev chain

  /**
   * Derive the accounts from a random mnemonic of 12, 15, 18, 21 or 24 words. The data directory keeps it. Unit: words.
   * Default: none.
   */
  readonly mnemonicRandom?: number | undefined
  /** Path of the accounts' keys; the index of the account is appended. Default: 'm/44'/60'/0'/0'. */
  readonly derivationPath?: string | undefined

  // Mining

  /** Mine every transaction immediately, beside the blocks of `devBlockTime`. Default: false. */
  readonly mixedMining?: boolean | undefined
  /** Order of transactions within a block: by fee, or by arrival. Default: 'fees'. */
  readonly order?: 'fees' | 'fifo' | undefined
  /** Mine blocks (proof of work). Default: false. */
  readonly minerEnabled?: boolean | undefined
  /** Beneficiary of block rewards and fees (dev chain: the zero address unless set). Default: none. */
  readonly minerCoinbase?: string | undefined
  /** Extra data of mined blocks. Default: '0x'. */
  readonly minerExtraData?: string | undefined
  /**
   * Ethash of the node's own threads: light computes items of the dataset on demand, full keeps the dataset (over 1
   * GiB) in memory and in a file. Default: 'light'.
   */
  readonly minerDag?: 'light' | 'full' | undefined
  /** Serve work over Stratum; the node then does not mine itself. Default: false. */
  readonly minerStratumEnabled?: boolean | undefined
  /** Address to listen on. Default: '0.0.0.0'. */
  readonly minerStratumHost?: string | undefined
  /** Port; 0: any free one. Default: 8008. */
  readonly minerStratumPort?: number | undefined
  /**
   * Minimum price of a transaction; also the minimum result of eth_gasPrice. Unit: wei. Default: 1000; on the dev
   * chain: 0.
   */
  readonly minGasPrice?: bigint | number | string | undefined
  /** Suggest no priority fee while recent transactions have none; otherwise 1 gwei is suggested. Default: false. */
  readonly disableMinPriorityFee?: boolean | undefined
  /** Gas usage at which a block is complete, as a fraction of its limit. Default: 0.8. */
  readonly minBlockOccupancyRatio?: number | undefined
  /** Gas limit that mined blocks approach. Unit: gas. Default: none. */
  readonly targetGasLimit?: bigint | number | string | undefined
  /** Maximum number of remote sealers. Default: 1000. */
  readonly XminerRemoteSealersLimit?: number | undefined
  /** Lifetime of a reported hash rate. Unit: minutes. Default: 10. */
  readonly XminerRemoteSealersHashrateTtl?: number | undefined
  /** Extra nonce of Stratum sessions. Default: '080c'. */
  readonly XminerStratumExtranonce?: string | undefined
  /** Lifetime of mining work. Unit: milliseconds. Default: 300000. */
  readonly XminerPowJobTtl?: number | undefined
  /** Depth of accepted work. Unit: blocks. Default: 8. */
  readonly XmaxOmmersDepth?: number | undefined
  /**
   * Seal and verify blocks in ethash's test mode: a cache of 1 KB and a dataset of 32 KB in every epoch. Default:
   * false.
   */
  readonly ethashTestMode?: boolean | undefined

  // Fork of another chain

  /** Continue the chain right after this transaction. Default: none. */
  readonly forkTransactionHash?: string | undefined
  /** Chain id of the remote, which is then not asked for it. Default: none. */
  readonly forkChainId?: number | undefined
  /** HTTP header of the requests to the remote, as "Name: value". May be repeated. Default: none. */
  readonly forkHeader?: readonly string[] | undefined
  /** Longest time for one answer of the remote. Unit: milliseconds. Default: 45000. */
  readonly forkTimeout?: number | undefined
  /** Further tries of a request that failed. Unit: requests. Default: 5. */
  readonly forkRetries?: number | undefined
  /** Wait before the first further try; it doubles with each. Unit: milliseconds. Default: 1000. */
  readonly forkRetryBackoff?: number | undefined
  /** Highest rate of requests; 0: as many as the remote accepts. Unit: requests. Default: 0. */
  readonly forkRequestsPerSecond?: number | undefined
  /**
   * How state of the remote is checked. auto: by proofs where the remote has them; proofs: only proven state is used;
   * quorum: two addresses must agree; none: the remote is believed. Default: 'auto'.
   */
  readonly forkVerify?: 'auto' | 'proofs' | 'quorum' | 'none' | undefined
  /**
   * Directory of what was fetched, shared by all forks and processes; none: nothing is kept (default: isonode/fork in
   * the cache directory of the user).
   */
  readonly forkCache?: string | undefined
  /** Size of the cache; what was not used for longest goes first. Unit: bytes. Default: 2147483648. */
  readonly forkCacheSize?: number | undefined
  /** Never ask the remote: what neither the pack nor the cache has is an error. Default: false. */
  readonly forkOffline?: boolean | undefined
  /**
   * File with everything that runs have read: asked before the cache and the remote, and extended at the end of the
   * run, unless `forkOffline`. Default: none.
   */
  readonly forkPack?: string | undefined

  // Logging

  /** Form of the log and of all other messages: text, or one JSON object per line. Default: 'text'. */
  readonly loggingFormat?: 'text' | 'json' | undefined
  /** Use colours (default: on a terminal, subject to NO_COLOR and FORCE_COLOR). */
  readonly colorEnabled?: boolean | undefined
  /** Log a warning when a reorganisation removes more than this number of blocks. Unit: blocks. Default: 6. */
  readonly reorgLoggingThreshold?: number | undefined

  // JSON-RPC over HTTP

  /**
   * Maximum number of connections; further ones are closed immediately. Unit: connections. Default: 80; on the dev
   * chain: 1024.
   */
  readonly rpcHttpMaxActiveConnections?: number | undefined
  /**
   * Number of processes that answer HTTP, WebSocket and GraphQL beside the one that writes the chain, on the same
   * ports; `auto`: the number of cores minus one; 0: one process does all. Needs a database on disk, and Node. Default:
   * '0'.
   */
  readonly rpcHttpWorkers?: string | undefined
  /** Maximum number of requests in a batch; 0 or less: unlimited. Unit: requests. Default: 1024. */
  readonly rpcHttpMaxBatchSize?: number | undefined
  /** Maximum size of a request body. Unit: bytes. Default: 5242880. */
  readonly rpcHttpMaxRequestContentLength?: number | undefined
  /** Compress answers for clients that accept it. Default: true; on the dev chain: false. */
  readonly rpcHttpCompressionEnabled?: boolean | undefined
  /** Methods that may be called without a token. Default: none. */
  readonly rpcHttpApiMethodsNoAuth?: readonly string[] | undefined
  /** Require a token. Default: false. */
  readonly rpcHttpAuthenticationEnabled?: boolean | undefined
  /** TOML file with users and password hashes. Default: none. */
  readonly rpcHttpAuthenticationCredentialsFile?: string | undefined
  /** Public key that verifies external tokens (PEM). Default: none. */
  readonly rpcHttpAuthenticationJwtPublicKeyFile?: string | undefined
  /** Signature algorithm of external tokens. Default: 'rs256'. */
  readonly rpcHttpAuthenticationJwtAlgorithm?: 'rs256' | 'rs384' | 'rs512' | 'es256' | 'es384' | 'es512' | undefined
  /** Serve over TLS. Default: false. */
  readonly rpcHttpTlsEnabled?: boolean | undefined
  /** Certificate and key: PKCS#12 or PEM. Default: none. */
  readonly rpcHttpTlsKeystoreFile?: string | undefined
  /** File with the password of the TLS key store. Default: none. */
  readonly rpcHttpTlsKeystorePasswordFile?: string | undefined
  /** Require client certificates. Default: false. */
  readonly rpcHttpTlsClientAuthEnabled?: boolean | undefined
  /** File with the fingerprints of known clients. Default: none. */
  readonly rpcHttpTlsKnownClientsFile?: string | undefined
  /** Accept client certificates that a trusted CA signed. Default: false. */
  readonly rpcHttpTlsCaClientsEnabled?: boolean | undefined
  /** Allowed TLS versions. Default: TLSv1.3, TLSv1.2. */
  readonly rpcHttpTlsProtocols?: readonly string[] | undefined
  /** Allowed TLS cipher suites (default: those of the runtime). */
  readonly rpcHttpTlsCipherSuites?: readonly string[] | undefined
  /** Accepted host names of the Host header; `*` or `all`: any. Default: localhost, 127.0.0.1, ::1. */
  readonly hostAllowlist?: readonly string[] | undefined
  /**
   * Serve the explorer to browsers on the port of JSON-RPC, and let it call. With `hostAllowlist` *, it may call only
   * under localhost or an IP address. Default: false.
   */
  readonly ui?: boolean | undefined
  /** Time limit for one request. Unit: seconds. Default: 300. */
  readonly XhttpTimeoutSeconds?: number | undefined

  // JSON-RPC over WebSocket

  /** Address to listen on. Default: '127.0.0.1'. */
  readonly rpcWsHost?: string | undefined
  /** Port; 0: any free port, which is printed. Default: 8546. */
  readonly rpcWsPort?: number | undefined
  /** API groups, or ALL. Default: ETH, NET, WEB3; on the dev chain: ALL. */
  readonly rpcWsApi?: readonly string[] | undefined
  /**
   * Maximum number of connections on both ports together; further ones are closed immediately. Unit: connections.
   * Default: 80; on the dev chain: 1024.
   */
  readonly rpcWsMaxActiveConnections?: number | undefined
  /** Bounds the size of a message: four times this value, in one frame or in several. Unit: bytes. Default: 1048576. */
  readonly rpcWsMaxFrameSize?: number | undefined
  /** Methods that may be called without a token. Default: none. */
  readonly rpcWsApiMethodsNoAuth?: readonly string[] | undefined
  /** Require a token. Default: false. */
  readonly rpcWsAuthenticationEnabled?: boolean | undefined
  /** TOML file with users and password hashes. Default: none. */
  readonly rpcWsAuthenticationCredentialsFile?: string | undefined
  /** Public key that verifies external tokens (PEM). Default: none. */
  readonly rpcWsAuthenticationJwtPublicKeyFile?: string | undefined
  /** Signature algorithm of external tokens. Default: 'rs256'. */
  readonly rpcWsAuthenticationJwtAlgorithm?: 'rs256' | 'rs384' | 'rs512' | 'es256' | 'es384' | 'es512' | undefined
  /** Time limit for one message. Unit: seconds. Default: 300. */
  readonly XwsTimeoutSeconds?: number | undefined

  // JSON-RPC over IPC

  /** Serve JSON-RPC over a Unix socket, or a named pipe on Windows, for programs of the same user. Default: false. */
  readonly rpcIpcEnabled?: boolean | undefined
  /**
   * Path of the socket. A name without a folder is in the data directory; of a chain in memory, in the folder for
   * temporary files. Default: 'isonode.ipc'.
   */
  readonly rpcIpcPath?: string | undefined
  /** API groups, or ALL. Default: ETH, NET, WEB3; on the dev chain: ALL. */
  readonly rpcIpcApi?: readonly string[] | undefined

  // API behaviour

  /** Whose conventions to follow where Besu and geth answer differently. Default: 'besu'; on the dev chain: 'geth'. */
  readonly rpcProfile?: 'besu' | 'geth' | undefined
  /** Gas limit of one eth_call or eth_estimateGas execution; 0: unlimited. Unit: gas. Default: 100000000. */
  readonly rpcCallGasCap?: bigint | number | string | undefined
  /** Time limit of one call, without its waits for a forked chain or a mirror. Unit: milliseconds. Default: 5000. */
  readonly rpcCallTimeoutMs?: number | undefined
  /**
   * Maximum number of blocks between fromBlock and toBlock of eth_getLogs; 0: unlimited. Unit: blocks. Default: 1000;
   * on the dev chain: 0.
   */
  readonly rpcMaxLogsRange?: number | undefined
  /**
   * Maximum number of blocks between fromBlock and toBlock of trace_filter; 0: unlimited. Unit: blocks. Default: 1000;
   * on the dev chain: 0.
   */
  readonly rpcMaxTraceFilterRange?: number | undefined
  /**
   * Accept tracers written in JavaScript in debug_trace*. They run in a sandbox. Default: false; on the dev chain:
   * true.
   */
  readonly rpcJsTracers?: boolean | undefined
  /**
   * Maximum number of requests per second of one connection, over HTTP or WebSocket; 0: unlimited. Unit: requests.
   * Default: 0.
   */
  readonly rpcMaxRequestsPerSecond?: number | undefined
  /**
   * Maximum total fee of a local transaction; 0: unlimited. Unit: wei. Default: 1000000000000000000; on the dev chain:
   * 0.
   */
  readonly rpcTxFeecap?: bigint | number | string | undefined
  /** Store the revert reasons of transactions and include them in receipts. Default: false. */
  readonly revertReasonEnabled?: boolean | undefined
  /** Number of recent blocks that eth_gasPrice evaluates. Unit: blocks. Default: 100. */
  readonly apiGasPriceBlocks?: number | undefined
  /** Percentile of recent prices that eth_gasPrice returns. Unit: percent. Default: 50. */
  readonly apiGasPricePercentile?: number | undefined
  /** Maximum result of eth_gasPrice. Unit: wei. Default: 500000000000. */
  readonly apiGasPriceMax?: bigint | number | string | undefined
  /**
   * Keep the log blooms of all blocks in files, for other programs: the log search of the node has an index. Default:
   * false.
   */
  readonly autoLogBloomCachingEnabled?: boolean | undefined

  // Transaction pool

  /** Maximum number of transactions. Unit: transactions. Default: 4096; on the dev chain: 32768. */
  readonly txPoolMaxSize?: number | undefined
  /** Time after which a transaction is removed. Unit: hours. Default: 13. */
  readonly txPoolRetentionHours?: number | undefined
  /** Minimum price increase of a replacement. Unit: percent. Default: 10. */
  readonly txPoolPriceBump?: number | undefined
  /** Maximum share of the pool per account, as a fraction. Default: 0.001; on the dev chain: 1. */
  readonly txPoolLimitByAccountPercentage?: number | undefined
  /** Refuse transactions without a chain id. Default: false. */
  readonly strictTxReplayProtectionEnabled?: boolean | undefined

  // Storage

  /** State storage; FOREST keeps every historical state. Default: 'forest'. */
  readonly dataStorageFormat?: 'forest' | 'bonsai' | undefined
  /**
   * Committed blocks survive a power failure, or only a killed program. Default: 'power'; on the dev chain: 'process'.
   */
  readonly dataDurability?: 'power' | 'process' | undefined
  /** Delete the states of old blocks (default: only on a dev chain in memory). */
  readonly pruningEnabled?: boolean | undefined
  /**
   * Number of blocks below the head whose states pruning keeps. Unit: blocks. Default: 1024; on the dev chain: 10000.
   */
  readonly pruningBlocksRetained?: number | undefined
  /**
   * Number of confirmations before a state may be pruned; less than `pruningBlocksRetained`. Unit: blocks. Default: 10.
   */
  readonly pruningBlockConfirmations?: number | undefined
  /**
   * Store the address or slot of each hash in the state, which debug_accountRange, debug_storageRangeAt and dumps show
   * (default: in a new database; an existing one goes on as it is).
   */
  readonly statePreimages?: boolean | undefined

  // Execution

  /** EVM implementation: the built-in WebAssembly interpreter, or @ethereumjs/evm. Default: 'native'. */
  readonly evm?: 'native' | 'reference' | undefined
  /** Execute every imported block a second time with @ethereumjs/vm and compare the results. Default: false. */
  readonly evmCrossCheck?: boolean | undefined
  /**
   * Memory that caches, pools and executions may use together (default: a quarter of the memory of the machine, at most
   * 4 GiB). Unit: bytes.
   */
  readonly memoryTarget?: number | undefined
  /**
   * File with the trusted setup of the KZG ceremony: the node checks that it equals the built-in one. Default: none.
   */
  readonly kzgTrustedSetup?: string | undefined

  // Mirror

  /**
   * Publish the chain to this store, for replicas, Workers and pages: file:///directory,
   * s3://bucket/prefix?endpoint=URL&region=NAME, redis://host, unstorage:DRIVER?option=value, or the https:// address
   * of a Worker. Secrets come from the environment. Default: none.
   */
  readonly mirrorTo?: string | undefined
  /**
   * Shortest time between two publications. Blocks that arrive meanwhile are published together. Unit: milliseconds.
   * Default: 1000.
   */
  readonly mirrorInterval?: number | undefined
  /** Private key that signs what is published (default: mirror.key in the data directory, which is generated). */
  readonly mirrorKeyFile?: string | undefined
  /**
   * Number of newest blocks whose bodies and receipts the mirror keeps; all: those of every block. It has the states
   * that the database has. Default: 'all'.
   */
  readonly mirrorHistory?: string | undefined
  /** Time for which what newer publications replaced stays readable. Unit: seconds. Default: 600. */
  readonly mirrorGrace?: number | undefined
  /**
   * Checks at each publication: the signatures of the publisher, or also the hashes of all headers, their ancestry, and
   * the seals of the consensus (QBFT, IBFT 2.0, Clique, proof of work). Default: 'signatures'.
   */
  readonly mirrorVerify?: 'signatures' | 'seals' | undefined
  /**
   * Hash of a block from which `mirrorVerify` seals begins. Older blocks are as the publisher says (default: the
   * genesis block that the mirror names).
   */
  readonly mirrorCheckpoint?: string | undefined
  /**
   * Time between two looks for a newer publication. Stores that can notify are read at once. Unit: milliseconds.
   * Default: 1000.
   */
  readonly mirrorPoll?: number | undefined
  /** Memory for what was read of the mirror. Unit: bytes. Default: 268435456. */
  readonly mirrorCache?: number | undefined
  /** Age of the newest publication beyond which the node is not ready. Unit: seconds. Default: 60. */
  readonly mirrorMaxLag?: number | undefined
  /** Beyond `mirrorMaxLag`: serve the last known head, or refuse all that depends on the head. Default: 'serve'. */
  readonly mirrorWhenStale?: 'serve' | 'refuse' | undefined
  /**
   * Node that eth_sendRawTransaction is passed on to. Transactions that it accepts are shown as pending until they are
   * published. Default: none.
   */
  readonly mirrorUpstream?: string | undefined

  // Peer to peer

  /** P2P network id (default: the network's id, or the chain id). */
  readonly networkId?: bigint | number | string | undefined
  /** File with the node's private key (default: <data-path>/key). */
  readonly nodePrivateKeyFile?: string | undefined
  /** Discover peers. Default: true. */
  readonly discoveryEnabled?: boolean | undefined
  /** Advertised address. Default: '127.0.0.1'. */
  readonly p2pHost?: string | undefined
  /** Address to listen on. Default: '0.0.0.0'. */
  readonly p2pInterface?: string | undefined
  /** Number of peers below which the node looks for more. Unit: peers. Default: 25. */
  readonly p2pPeerLowerBound?: number | undefined
  /** Maximum number of peers. Unit: peers. Default: 25. */
  readonly maxPeers?: number | undefined
  /** Limit inbound connections. Default: true. */
  readonly remoteConnectionsLimitEnabled?: boolean | undefined
  /** Maximum share of inbound connections. Unit: percent. Default: 60. */
  readonly remoteConnectionsMaxPercentage?: number | undefined
  /** DNS node list (EIP-1459) (default: that of the network, unless boot nodes are given). */
  readonly discoveryDnsUrl?: string | undefined
  /** Node ids to refuse as peers. Default: none. */
  readonly bannedNodeIds?: readonly string[] | undefined
  /** Prioritize inbound peers at random. Default: false. */
  readonly randomPeerPriorityEnabled?: boolean | undefined
  /** File with peers to stay connected to (default: <data-path>/static-nodes.json). */
  readonly staticNodesFile?: string | undefined
  /** Method for finding the external address. Default: 'auto'. */
  readonly natMethod?: 'upnp' | 'upnpp2ponly' | 'docker' | 'kubernetes' | 'auto' | 'none' | undefined
  /** Allow host names in the enode URLs of boot nodes and static nodes. Default: false. */
  readonly XdnsEnabled?: boolean | undefined
  /** Resolve the host names of static and added peers before each redial. Default: false. */
  readonly XdnsUpdateEnabled?: boolean | undefined
  /** Blocks that peers must have: number=hash. Default: none. */
  readonly requiredBlocks?: readonly string[] | undefined

  // GraphQL

  /** Address to listen on. Default: '127.0.0.1'. */
  readonly graphqlHttpHost?: string | undefined
  /** Port; 0: any free port, which is printed. Default: 0. */
  readonly graphqlHttpPort?: number | undefined
  /**
   * Origins of browser pages that may call: regular expressions, `all` or `none`. Default: none; on the dev chain:
   * https?://(localhost|127\.0\.0\.1)(:[0-9]+)?, (chrome|moz)-extension://.*.
   */
  readonly graphqlHttpCorsOrigins?: readonly string[] | undefined

  // Metrics

  /** Serve metrics for Prometheus at /metrics. Default: false. */
  readonly metricsEnabled?: boolean | undefined
  /** Metrics protocol; OPENTELEMETRY is not supported, NONE switches metrics off. Default: 'prometheus'. */
  readonly metricsProtocol?: 'prometheus' | 'opentelemetry' | 'none' | undefined
  /** Address to listen on. Default: '127.0.0.1'. */
  readonly metricsHost?: string | undefined
  /** Port. Default: 9545. */
  readonly metricsPort?: number | undefined
  /**
   * Enabled metric categories. Default: BLOCKCHAIN, ETHEREUM, EXECUTORS, JVM, NETWORK, PEERS, PERMISSIONING, PROCESS,
   * PRUNER, RPC, STRATUM, SYNCHRONIZER, TRANSACTION_POOL, EVM, PLUGINS, STORE.
   */
  readonly metricsCategory?: readonly string[] | undefined
  /** Push metrics to a gateway of Prometheus; cannot be combined with `metricsEnabled`. Default: false. */
  readonly metricsPushEnabled?: boolean | undefined
  /** Host of the push gateway. Default: '127.0.0.1'. */
  readonly metricsPushHost?: string | undefined
  /** Port of the push gateway. Default: 9001. */
  readonly metricsPushPort?: number | undefined
  /** Interval between pushes. Unit: seconds. Default: 15. */
  readonly metricsPushInterval?: number | undefined
  /** Job name of pushed metrics. Default: 'besu-client'. */
  readonly metricsPushPrometheusJob?: string | undefined

  // Permissioning

  /** Enable the node allowlist in a file. Default: false. */
  readonly permissionsNodesConfigFileEnabled?: boolean | undefined
  /** File with the node allowlist (default: <data-path>/permissions_config.toml). */
  readonly permissionsNodesConfigFile?: string | undefined
  /** Enable the account allowlist in a file. Default: false. */
  readonly permissionsAccountsConfigFileEnabled?: boolean | undefined
  /** File with the account allowlist (default: <data-path>/permissions_config.toml). */
  readonly permissionsAccountsConfigFile?: string | undefined
  /** Enable the node allowlist in a contract. Default: false. */
  readonly permissionsNodesContractEnabled?: boolean | undefined
  /** Address of the node allowlist contract. Default: none. */
  readonly permissionsNodesContractAddress?: string | undefined
  /** Interface version of the node allowlist contract. Default: 1. */
  readonly permissionsNodesContractVersion?: number | undefined
  /** Enable the account allowlist in a contract. Default: false. */
  readonly permissionsAccountsContractEnabled?: boolean | undefined
  /** Address of the account allowlist contract. Default: none. */
  readonly permissionsAccountsContractAddress?: string | undefined

  // Privacy

  /** Enable private transactions (needs the @ethereumjs packages). Default: false. */
  readonly privacyEnabled?: boolean | undefined
  /** URL of the enclave. Default: 'http://localhost:8888'. */
  readonly privacyUrl?: string | undefined
  /** File with this node's public key in the enclave. Default: none. */
  readonly privacyPublicKeyFile?: string | undefined
  /** Serve several tenants, identified by their tokens. Default: false. */
  readonly privacyMultiTenancyEnabled?: boolean | undefined
  /** File with the key that signs privacy marker transactions; without it, each has a random key. Default: none. */
  readonly privacyMarkerTransactionSigningKeyFile?: string | undefined
  /** Enable privacy groups that a contract manages. Default: false. */
  readonly privacyFlexibleGroupsEnabled?: boolean | undefined
  /** REMOTE: an enclave at `privacyUrl`. EMBEDDED: one inside the node. Default: 'remote'. */
  readonly privacyEnclave?: 'remote' | 'embedded' | undefined
  /**
   * Files with the secret keys of the node's enclave; the first is the default key (default:
   * <data-path>/enclave/enclave.key, generated if missing).
   */
  readonly privacyEnclaveKeyFiles?: readonly string[] | undefined
  /** Passwords for `privacyEnclaveKeyFiles`, one per line (empty line: no password). Default: none. */
  readonly privacyEnclavePasswordFile?: string | undefined
  /** Address on which the node's enclave listens for other enclaves. Default: '127.0.0.1'. */
  readonly privacyEnclaveHost?: string | undefined
  /** Port for other enclaves; 0: any free port, which is printed. Default: 9000. */
  readonly privacyEnclavePort?: number | undefined
  /** URL that other enclaves use to reach the node's enclave (default: its address and port). */
  readonly privacyEnclaveUrl?: string | undefined
  /** URLs of other enclaves. Default: none. */
  readonly privacyEnclavePeers?: readonly string[] | undefined
  /** Accept enclaves not listed in `privacyEnclavePeers`, and discover others through them. Default: true. */
  readonly privacyEnclaveDiscoveryEnabled?: boolean | undefined
  /** Connect to the enclave over TLS. Default: false. */
  readonly privacyTlsEnabled?: boolean | undefined
  /** Key store (PKCS#12). Default: none. */
  readonly privacyTlsKeystoreFile?: string | undefined
  /** File with the password of the TLS key store. Default: none. */
  readonly privacyTlsKeystorePasswordFile?: string | undefined
  /** File with the fingerprints of known enclaves. Default: none. */
  readonly privacyTlsKnownEnclaveFile?: string | undefined
}
