/**
 * The groups of options, in the order in which help and documentation show them.
 * @module
 */

export interface OptionGroup {
  readonly title: string
  readonly summary: string
}

export type GroupName =
  | 'general'
  | 'dev'
  | 'accounts'
  | 'mining'
  | 'fork'
  | 'logging'
  | 'http'
  | 'ws'
  | 'ipc'
  | 'api'
  | 'pool'
  | 'storage'
  | 'execution'
  | 'edge'
  | 'p2p'
  | 'graphql'
  | 'engine'
  | 'metrics'
  | 'permissioning'
  | 'privacy'

export const GROUPS: Readonly<Record<GroupName, OptionGroup>> = {
  general: { title: 'General', summary: 'chain, configuration file, identity' },
  dev: { title: 'Dev chain', summary: 'chain id, fork and limits of a new dev chain' },
  accounts: { title: 'Accounts of the dev chain', summary: 'number, balance, mnemonic, impersonation' },
  mining: { title: 'Mining', summary: 'block time, gas limit, base fee, beneficiary' },
  fork: { title: 'Fork of another chain', summary: 'remote, block, checks, cache and pack' },
  logging: { title: 'Logging', summary: 'level and form of the output' },
  http: { title: 'JSON-RPC over HTTP', summary: 'address, API groups, origins, host names, limits' },
  ws: { title: 'JSON-RPC over WebSocket', summary: 'address, API groups, limits' },
  ipc: { title: 'JSON-RPC over IPC', summary: 'Unix socket or named pipe: path, API groups' },
  api: { title: 'API behaviour', summary: 'profile, limits of calls and logs, gas prices' },
  pool: { title: 'Transaction pool', summary: 'size, price bump, retention' },
  storage: { title: 'Storage', summary: 'data directory, durability' },
  execution: { title: 'Execution', summary: 'EVM, cross-check' },
  edge: { title: 'Mirror', summary: 'mirrors: publish the chain, answer from a copy' },
  p2p: { title: 'Peer to peer', summary: 'node key, network id, addresses' },
  graphql: { title: 'GraphQL', summary: 'address, origins' },
  engine: { title: 'Engine API', summary: 'address, secret' },
  metrics: { title: 'Metrics', summary: 'address, categories' },
  permissioning: { title: 'Permissioning', summary: 'allowlists of nodes and accounts' },
  privacy: { title: 'Privacy', summary: 'private transactions' },
}
