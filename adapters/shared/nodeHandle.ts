/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A started node as programs see it.
 * @module
 */
import type { AbortSignal, Request, Response } from '../../src/base/ports/webTypes.ts'
import type {
  LogCriteria,
  ProviderEvents,
  RequestFunction,
  SubscriptionEvents,
} from '../../src/rpc/providerContract.ts'

/** An account of the dev chain. Its key is public knowledge unless the program chose the mnemonic. */
export interface LocalAccount {
  /** In lower case. */
  readonly address: `0x${string}`
  readonly privateKey: `0x${string}`
}

/** A node in the process of its user, and an EIP-1193 provider of it: viem, ethers and web3 accept it as it is. */
export interface LocalNode extends AsyncDisposable {
  /**
   * Calls a method of JSON-RPC without a socket.
   * @throws {RequestError} with JSON-RPC code and data
   * @example
   * const node = await startNode({ listen: false })
   * const number = await node.request({ method: 'eth_blockNumber' })
   * const [address] = await node.request('eth_accounts')
   * const balance = await node.request('eth_getBalance', [address, 'latest'])
   * await node.close()
   */
  readonly request: RequestFunction
  /**
   * Adds a listener for an event of EIP-1193, or opens a subscription for it.
   * @returns the node
   * @throws {RequestError} for invalid criteria, and when too many subscriptions are open
   * @example
   * const node = await startNode({ listen: false })
   * const mined = new Promise((resolve) => node.on('newHeads', resolve))
   * await node.request('evm_mine')
   * console.log(await mined)
   * await node.close()
   */
  on<Name extends keyof ProviderEvents>(event: Name, listener: (event: ProviderEvents[Name]) => void): this
  on<Name extends keyof SubscriptionEvents>(event: Name, listener: (event: SubscriptionEvents[Name]) => void): this
  on(event: 'logs', criteria: LogCriteria, listener: (event: SubscriptionEvents['logs']) => void): this
  on(
    event: 'newPendingTransactions',
    isFull: boolean,
    listener: (event: SubscriptionEvents['newPendingTransactions']) => void,
  ): this
  /**
   * Removes a listener that `on` added, and ends its subscription.
   * @returns the node
   * @example
   * const node = await startNode({ listen: false })
   * const listener = ({ number }) => console.log(number)
   * node.on('newHeads', listener).removeListener('newHeads', listener)
   * await node.close()
   */
  removeListener(event: keyof ProviderEvents | keyof SubscriptionEvents, listener: (event: never) => void): this
  /** The funded accounts of the dev chain, in the order of their derivation; none on other chains. */
  readonly accounts: readonly LocalAccount[]
  /**
   * Answers like the HTTP server of the node, for service workers and libraries that accept a `fetch` function.
   * @example
   * const node = await startNode({ listen: false })
   * const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
   * const response = await node.fetch(new Request('http://localhost', { method: 'POST', body }))
   * console.log(await response.json())
   * await node.close()
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends subscriptions, fails pending requests and releases everything. Further calls wait for the first. */
  close(): Promise<void>
}

/** How `import` of a node in a page works. */
export interface BlockImportOptions {
  /** Whether the seals of proof of work are verified. Default: true. */
  readonly verifySeal?: boolean
  /** Ends the import before the next block when it is aborted. */
  readonly signal?: AbortSignal
}

/** The used part of the package `tiny-secp256k1`, whose types a program need not have. */
export interface TinySecp256k1 {
  isPrivate(privateKey: Uint8Array): boolean
  pointFromScalar(privateKey: Uint8Array, isCompressed?: boolean): Uint8Array | null
  pointMultiply(point: Uint8Array, factor: Uint8Array, isCompressed?: boolean): Uint8Array | null
  recover(hash: Uint8Array, signature: Uint8Array, recoveryId: 0 | 1, isCompressed?: boolean): Uint8Array | null
  signRecoverable(
    hash: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recoveryId: 0 | 1 | 2 | 3 }
}
