/**
 * The common part of nodes that a program starts in its own process.
 * @module
 */
import type { DevAccount } from '../../src/config/devAccounts.ts'
import type { ComposedNode } from '../../src/node/composeNode.ts'
import type { IsoNode } from '../../src/node/node.ts'
import type { ReadNode } from '../../src/node/readOnly/readOnlyNode.ts'
import type { Provider } from '../../src/rpc/provider.ts'
import type { LocalAccount, LocalNode } from './nodeHandle.ts'

const internals = new WeakMap<object, ComposedNode>()

/**
 * The parts of a node: its chain, states and endpoints. A node in a page has no endpoints.
 * @throws {TypeError} unless it is a node of this library with its own chain
 * @example
 * const node = await startNode({ listen: false })
 * console.log(internalsOf(node).chain.head.header.number)
 * await node.close()
 */
export function internalsOf(node: LocalNode): IsoNode {
  const internalNode = internals.get(node)
  if (internalNode === undefined) throw new TypeError('expected a node that startNode or createBrowserNode returned')
  return internalNode as IsoNode
}

/**
 * @param devAccounts accounts of the dev chain
 * @param release called once, after the provider was closed
 * @param further members of the node
 */
export function localNode<Further extends object>(
  node: ComposedNode | ReadNode,
  provider: Provider,
  devAccounts: readonly DevAccount[],
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
  const members = {
    request: provider.request,
    on: (...subscription: Parameters<Provider['on']>) => {
      provider.on(...subscription)
      return local
    },
    removeListener: (event: string, listener: (event: never) => void) => {
      provider.removeListener(event, listener)
      return local
    },
    accounts: devAccounts.map(({ address, privateKey }) => ({ address, privateKey }) as LocalAccount),
    fetch: async (request: globalThis.Request) => node.fetch(request),
    close,
    [asyncDispose]: close,
    ...further,
  }
  const local = members as unknown as LocalNode & Further
  if ('states' in node) internals.set(local, node)
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
