/**
 * Options of `startNode`.
 * @module
 */
import type { AbortSignal } from '../../src/base/ports/webTypes.ts'
import type { NodeFlags } from '../../src/cli/nodeFlags.ts'
import type { DevChainOptions, LogOptions } from '../shared/nodeOptions.ts'

/** Networks whose genesis is built in. */
export type NetworkName =
  | 'mainnet'
  | 'sepolia'
  | 'goerli'
  | 'rinkeby'
  | 'classic'
  | 'mordor'
  | 'kotti'
  | 'dev'
  | 'futureEips'
  | 'experimentalEips'

/**
 * Options of {@link startNode}. All are optional: without any, the node is a dev chain in memory on a free port.
 * `Listen` is the type of `listen`.
 */
export interface StartOptions<Listen extends boolean = true> extends DevChainOptions, LogOptions {
  /** Whether JSON-RPC is served over HTTP and WebSocket, both on one port. Default: true. */
  readonly listen?: Listen | undefined
  /** Address to listen on. Default: `'127.0.0.1'`. */
  readonly host?: string | undefined
  /** Port of HTTP and WebSocket; 0: any free port, which `url` names. Default: 0. */
  readonly port?: number | undefined
  /** API groups that are served over HTTP and WebSocket. Default: all on the dev chain, else `['ETH', 'NET', 'WEB3']`. */
  readonly api?: readonly string[] | undefined
  /**
   * Origins of web pages that may call, as regular expressions; `['all']`: every page. Default: pages and extensions
   * of this computer on the dev chain, else none.
   */
  readonly corsOrigins?: readonly string[] | undefined
  /** Whether GraphQL is served, on its own free port, which `graphqlUrl` names. Default: false. */
  readonly graphql?: boolean | undefined
  /** Directory that keeps the chain; it is created if absent. Default: the chain is in memory, and no file is written. */
  readonly dataPath?: string | undefined
  /** Path of a genesis file, instead of its content in `genesis`. Default: none. */
  readonly genesisFile?: string | undefined
  /** Public network instead of the dev chain. Default: none. */
  readonly network?: NetworkName | undefined
  /** File of a state dump, of this node or of anvil, that replaces the dev chain at the start. Default: none. */
  readonly loadState?: string | undefined
  /** File of a state dump: loaded at the start if it exists, written by `close`. Default: none. */
  readonly state?: string | undefined
  /**
   * Directories with the artifacts or the build information of Hardhat or Foundry, for names and sources of contracts in
   * the methods of group ISONODE, and on the dev chain for its log and for stack traces in errors. Default: none.
   */
  readonly abi?: readonly string[] | undefined
  /**
   * Whether the node of a network or genesis connects to peers; the dev chain has none. Default: true unless `listen`
   * is false.
   */
  readonly p2p?: boolean | undefined
  /** TCP and UDP port for peers; 0: any free port. Default: 30303. */
  readonly p2pPort?: number | undefined
  /** Enode URLs of the first peers. Default: those of the network. */
  readonly bootnodes?: readonly string[] | undefined
  /**
   * Addresses of the chain that the dev chain continues, as of `--fork-url`; further ones are second choices. Default: none.
   */
  readonly forkUrl?: string | readonly string[] | undefined
  /**
   * Block to continue: a number, a negative number counted from the head, a hash, `'latest'`, `'safe'` or `'finalized'`.
   * Default: `'latest'`.
   */
  readonly forkBlockNumber?: number | bigint | string | undefined
  /**
   * Address of a mirror to answer from, as of `--mirror-from`: the node then has no chain itself, and needs
   * `mirrorPublisher`. Default: none.
   */
  readonly mirrorFrom?: string | undefined
  /** Address whose signatures on the mirror count, or `'any'`. Default: none. */
  readonly mirrorPublisher?: string | undefined
  /** Closes the node when it is aborted; during the start, `startNode` then rejects with its reason. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** Every other option of the command line, in camel case. */
  readonly flags?: NodeFlags | undefined
}
