/**
 * Options and handle of a node in a page.
 * @module
 */
import type { Blob, ReadableStream, URL } from '../../src/base/ports/webTypes.ts'
import type { ImportReport } from '../../src/chain/importReport.ts'
import type { BlockImportOptions, LocalNode, TinySecp256k1 } from '../shared/nodeHandle.ts'
import type { DevChainOptions, LogOptions } from '../shared/nodeOptions.ts'

/** Faster cryptography that a page supplies. */
export interface BrowserCryptoOptions {
  /**
   * `() => import('tiny-secp256k1')`, when the page's bundler supports WebAssembly imports. It recovers senders three
   * times as fast but adds 1.2 MB, so the page decides.
   */
  readonly loadSecp256k1?: () => Promise<TinySecp256k1>
}

/** The module `isonode/reference-evm`. */
export interface ReferenceEvmModule {
  readonly createReferenceEvm: (clock: never) => object
}

/**
 * A file, a response body or bytes: of blocks in RLP, as `blocks export` writes them, or of a whole chain, as `--dump-state`
 * writes it.
 */
export type BlockSource =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>

/** Options of {@link createBrowserNode}; those that `startNode` has as well have the same meaning. */
export interface BrowserNodeOptions extends DevChainOptions, LogOptions {
  /**
   * Where the chain is kept: in IndexedDB, so that it survives a reload, or in memory until the page is closed. Default:
   * `'indexeddb'`, and `'memory'` on a runtime without IndexedDB.
   */
  readonly storage?: 'indexeddb' | 'memory' | undefined
  /**
   * Name of the IndexedDB database; use one per chain. Default: `'isonode/dev'`, with a genesis file
   * `'isonode/chain-ID'` or, for a dev chain, `'isonode/dev-ID'`, where ID is the chain id.
   */
  readonly dataPath?: string | undefined
  /**
   * `'process'`: a stored block survives the end of the browser; `'power'`: also a power failure, which takes longer.
   * Default: `'process'`.
   */
  readonly durability?: 'process' | 'power' | undefined
  /**
   * Whether to ask the browser never to remove the database, even when it needs space. It may ask its user. Default: false.
   */
  readonly persist?: boolean | undefined
  /** The chain that the dev chain continues. The dev chain itself is in memory then. Default: none. */
  readonly fork?: BrowserForkOptions | undefined
  /**
   * Address of a mirror to answer from: a folder that `isonode mirror push` has written, on a web server with ranges and CORS.
   * The node then has no chain itself, so that options of one are refused. Default: none.
   */
  readonly mirror?: string | undefined
  /** Address whose signatures on the mirror count, or `'any'` for the one that the mirror names. */
  readonly publisher?: string | undefined
  /** Blocks that are imported before the node is returned; those that the chain has are skipped. Default: none. */
  readonly blocks?: BlockSource | undefined
  /** Faster implementations that the page supplies. Default: those of the package. */
  readonly crypto?: BrowserCryptoOptions | undefined
  /**
   * `() => import('isonode/reference-evm')`: the EVM of a page that cannot compile WebAssembly, because of its security
   * policy or in an old browser. It is slower, and needs the packages of `@ethereumjs`. Default: none.
   */
  readonly loadReferenceEvm?: (() => Promise<ReferenceEvmModule>) | undefined
  /**
   * Whether all tabs of the web site that give the same options use one node, which runs in a worker and goes on when one of
   * them is closed. The options `log`, `logger`, `crypto`, `loadReferenceEvm` and `blocks` cannot be given then. Default: false.
   */
  readonly share?: boolean | undefined
  /** The worker of a shared node, or `false` for a node in this tab. Default: the worker of the package. */
  readonly worker?: WorkerOption | undefined
}

/**
 * The address of `isonode/browser-worker` on the origin of the page, or a function that starts it with the type `'module'`
 * and the given name, and returns the `SharedWorker`, or the `Worker` where there are no shared workers. `false`: no worker.
 */
export type WorkerOption = false | URL | ((kind: 'shared' | 'dedicated', name: string) => object)

/** A chain that a dev chain in a page continues: at an address, behind a provider, or recorded in a pack. */
export interface BrowserForkOptions {
  /** JSON-RPC addresses that allow the page's origin; further ones are second choices. */
  readonly url?: string | readonly string[] | undefined
  /** A wallet or client as of EIP-1193, instead of an address. */
  readonly provider?:
    | { request(input: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> }
    | undefined
  /** Number, negative number counted from the head, hash, `'latest'`, `'safe'` or `'finalized'`. Default: `'latest'`. */
  readonly block?: number | bigint | string | undefined
  /** Content of a file that `--fork-pack` has written. Without address and provider, nothing else is used. */
  readonly pack?: Uint8Array | undefined
  /** Where what was fetched is kept. Default: `'indexeddb'`, for all forks of the web site. */
  readonly cache?: 'indexeddb' | 'none' | undefined
  /** How state is checked, as of `--fork-verify`. Default: `'auto'`. */
  readonly verify?: 'auto' | 'proofs' | 'quorum' | 'none' | undefined
}

/** A node in a page or a worker. On Node, Deno and Bun, it keeps the process alive only while it answers a request. */
export interface BrowserNode extends LocalNode {
  /**
   * Imports blocks after those that the chain has.
   * @throws {NodeError} INVALID_BLOCK at the first invalid block; the blocks before it are kept
   * @example
   * const node = await createBrowserNode()
   * console.log(await node.import(new Uint8Array(0)))
   * await node.close()
   */
  import(blocks: BlockSource, options?: BlockImportOptions): Promise<ImportReport>
  /**
   * The whole dev chain with all states and changes, as the file of `--dump-state`. It is read while the stream is read.
   * @throws {RequestError} for any other chain, as an error of the stream
   * @example
   * const node = await createBrowserNode()
   * const { size } = await new Response(await node.exportChain()).blob()
   * console.log(size)
   * await node.close()
   */
  exportChain(): Promise<ReadableStream>
  /**
   * Replaces the whole dev chain by a file of `exportChain`, `--dump-state` or anvil, compressed or not.
   * @throws {RequestError} when the file is not valid; nothing is changed then
   * @example
   * const [first, second] = [await createBrowserNode({ storage: 'memory' }), await createBrowserNode({ storage: 'memory' })]
   * await first.request('evm_mine')
   * await second.importChain(await first.exportChain())
   * console.log(await second.request('eth_blockNumber'))
   * await Promise.all([first.close(), second.close()])
   */
  importChain(file: BlockSource): Promise<void>
}
