/**
 * Options that nodes in programs and nodes in pages have in common.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'

/** Hard forks that a dev chain can start with. */
export type Hardfork =
  | 'frontier'
  | 'homestead'
  | 'tangerineWhistle'
  | 'spuriousDragon'
  | 'byzantium'
  | 'constantinople'
  | 'petersburg'
  | 'istanbul'
  | 'berlin'
  | 'london'
  | 'paris'
  | 'shanghai'
  | 'cancun'
  | 'prague'
  | 'osaka'

/** Contracts whose code is not part of this package. `'entrypoint'` is the version that the code is of. */
type SuppliedName = 'entrypoint' | 'entrypoint-0.6' | 'entrypoint-0.7' | 'entrypoint-0.8' | 'createx'

/**
 * Names of contracts in the genesis of a dev chain; `none` leaves those of the protocol. The code of EntryPoint and
 * CreateX follows the name: `'createx=0x60a0…'`, or on a server a file with it. On a server, EntryPoint is looked for in
 * the package `@account-abstraction/contracts` when only the name is given.
 */
export type PredeployName =
  | 'batch-executor'
  | 'create2'
  | 'multicall3'
  | 'permit2'
  | 'safe-singleton'
  | 'weth'
  | 'none'
  | SuppliedName
  | `${SuppliedName}=${string}`

/** Properties of a dev chain. A chain that is already stored keeps its properties; a start that contradicts them fails. */
export interface DevChainOptions {
  /** Chain id. Default: 31337. */
  readonly chainId?: number | undefined
  /** Hard fork whose rules apply from block 0 on. Default: `'osaka'`. */
  readonly hardfork?: Hardfork | undefined
  /** Number of funded accounts, which are derived from `mnemonic`. Default: 10. */
  readonly accounts?: number | undefined
  /** Balance of each account, in ether; a text may have a fraction, such as `'1.5'`. Default: 10000. */
  readonly balance?: bigint | number | string | undefined
  /** BIP-39 mnemonic of the accounts, in English. Default: `'test test test test test test test test test test test junk'`. */
  readonly mnemonic?: string | undefined
  /**
   * Time of block 0, in seconds since 1970. With it, the chain's clock continues from the newest block; otherwise it is
   * the clock of the host. Default: the host's time when the chain is created.
   */
  readonly timestamp?: number | undefined
  /** Gas limit of a block. Default: 30000000. */
  readonly gasLimit?: bigint | number | undefined
  /** Base fee per gas of block 0, in wei. Later blocks adjust it (EIP-1559), and 0 remains 0. Default: 1000000000. */
  readonly baseFee?: bigint | number | undefined
  /**
   * Contracts in the genesis, at their addresses on public networks. The CREATE2 deployer is always among them, except
   * with `'none'`. Default: `['create2', 'multicall3']`.
   */
  readonly predeploys?: readonly PredeployName[] | undefined
  /** Whether a transaction that fails in its block is answered with its error, as Hardhat does. Default: false. */
  readonly failOnRevert?: boolean | undefined
  /** Seconds between blocks. Default: 0, which mines each transaction immediately in its own block. */
  readonly blockTime?: number | undefined
  /** Whether transactions are mined without a request; `false` waits for `evm_mine`. Default: true. */
  readonly mining?: boolean | undefined
  /** Whether every account may send transactions without a signature. Default: false. */
  readonly autoImpersonate?: boolean | undefined
  /**
   * Content of a genesis file in the format of Besu or geth, as text or parsed. Default: the genesis of the dev chain.
   * With it, the node serves this chain; `dev` lets it mine.
   */
  readonly genesis?: string | Readonly<Record<string, unknown>> | undefined
  /**
   * Whether the node is a dev chain, which mines immediately whatever the consensus of its genesis is. Default: true
   * unless a genesis or a network is given.
   */
  readonly dev?: boolean | undefined
}

/** Levels of the log, from no entry to all entries. */
export type LogLevelName = 'off' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'all'

/** Where a node logs. */
export interface LogOptions {
  /**
   * Receives the log as text, entry by entry: messages, and on the dev chain calls and transactions, as the program
   * prints them. `console.log` fits. Default: nothing is logged.
   */
  readonly log?: ((entry: string) => void) | undefined
  /** Receives the messages of the node with level and fields, instead of `log`. Default: none. */
  readonly logger?: Logger | undefined
  /** Lowest level that `log` receives. Default: `'info'`. */
  readonly logLevel?: LogLevelName | undefined
  /** Whether `log` shows the tree of calls of each transaction of the dev chain. Default: false. */
  readonly verbose?: boolean | undefined
  /**
   * Compiled contracts by path, as in Hardhat's folder `artifacts` or Foundry's folder `out`: texts, or the objects of JSON
   * files, with the folder `build-info`, and for Foundry also with the sources. The log of the dev chain then names
   * contracts, and errors have stack traces. Default: none.
   */
  readonly artifacts?: Readonly<Record<string, string | object>> | undefined
}
