/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The common part of nodes that a program starts in its own process.
 * @module
 */
import type { DevAccount } from '../../src/config/devAccounts.ts'
import type { IsoNode } from '../../src/node/node.ts'
import type { OnFunction, Provider, RequestFunction } from '../../src/rpc/provider.ts'

/** An account of the dev chain. Its key is public knowledge unless the program chose the mnemonic. */
export interface LocalAccount {
  /** In lower case. */
  readonly address: `0x${string}`
  readonly privateKey: `0x${string}`
}

/** A node in the process of its user, and an EIP-1193 provider of it: viem, ethers and web3 accept it as it is. */
export interface LocalNode extends AsyncDisposable {
  /** The parts of the node. */
  readonly node: IsoNode
  /**
   * @throws {RequestError} with JSON-RPC code and data
   * @example await node.request('eth_getBalance', [address, 'latest'])
   * @example await node.request({ method: 'eth_blockNumber' })
   */
  readonly request: RequestFunction
  /**
   * @example const stop = node.on('newHeads', ({ number }) => console.log(number))
   * @example node.on('logs', { address }, (log) => console.log(log))
   */
  readonly on: OnFunction
  /** The funded accounts of the dev chain, in the order of their derivation; none on other chains. */
  readonly accounts: readonly LocalAccount[]
  /** Removes a listener that `on` added. */
  readonly removeListener: (event: string, listener: (event: never) => void) => void
  /** Ends subscriptions, fails pending requests and releases everything. Further calls wait for the first. */
  close(): Promise<void>
}

/**
 * @param known accounts of the dev chain
 * @param release called once, after the provider was closed
 */
export function localNode(
  node: IsoNode,
  provider: Provider,
  known: readonly DevAccount[],
  release: () => Promise<void>,
): LocalNode {
  const accounts = known.map(({ address, privateKey }) => ({ address, privateKey }) as LocalAccount)
  const { request, on, removeListener } = provider
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Promise.resolve().then(() => {
      provider.close()
      return release()
    })
    return closing
  }
  return { node, request, on, removeListener, accounts, close, [asyncDispose]: close }
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
