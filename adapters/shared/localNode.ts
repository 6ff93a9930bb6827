/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The common part of nodes that a program starts in its own process.
 * @module
 */
import type { Request, Response } from '../../src/base/ports/webTypes.ts'
import type { DevAccount } from '../../src/config/devAccounts.ts'
import type { IsoNode } from '../../src/node/node.ts'
import type {
  LogCriteria,
  Provider,
  ProviderEvents,
  RequestFunction,
  SubscriptionEvents,
} from '../../src/rpc/provider.ts'

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

const internals = new WeakMap<object, IsoNode>()

/**
 * The parts of a node: its chain, states and endpoints.
 * @throws {TypeError} unless it is a node of this library
 * @example
 * const node = await startNode({ listen: false })
 * console.log(internalsOf(node).chain.head.header.number)
 * await node.close()
 */
export function internalsOf(node: LocalNode): IsoNode {
  const found = internals.get(node)
  if (found === undefined) throw new TypeError('expected a node that startNode or createBrowserNode returned')
  return found
}

/**
 * @param known accounts of the dev chain
 * @param release called once, after the provider was closed
 * @param further members of the node
 */
export function localNode<Further extends object>(
  node: IsoNode,
  provider: Provider,
  known: readonly DevAccount[],
  release: () => Promise<void>,
  further: Further,
): LocalNode & Further {
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Promise.resolve().then(() => {
      provider.close()
      return release()
    })
    return closing
  }
  const own = {
    request: provider.request,
    on: (...subscription: Parameters<Provider['on']>) => {
      provider.on(...subscription)
      return local
    },
    removeListener: (event: string, listener: (event: never) => void) => {
      provider.removeListener(event, listener)
      return local
    },
    accounts: known.map(({ address, privateKey }) => ({ address, privateKey }) as LocalAccount),
    fetch: async (request: globalThis.Request) => node.fetch(request),
    close,
    [asyncDispose]: close,
    ...further,
  }
  const local = own as unknown as LocalNode & Further
  internals.set(local, node)
  return local
}

/** Older browsers lack the symbol. */
const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose)

/** Longest delay of a timer, about 12 days. */
const KEEP_ALIVE_MS = 2 ** 30

/**
 * Keeps the process alive on runtimes that exit when nothing is left to do.
 * @returns a function that lets the process end; idempotent
 */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, KEEP_ALIVE_MS)
  return () => clearInterval(timer)
}
