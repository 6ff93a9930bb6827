/**
 * The nodes of a wallet, of which one is shown to the page.
 * @module
 */
import type { WalletEvents, WalletNode } from './contract.ts'
import { hexOf } from './methods.ts'
import { WalletError } from './walletError.ts'

/** The wallet's answers to events of the shown node. */
export type NodeListeners = {
  readonly [Name in keyof WalletEvents]: (event: WalletEvents[Name]) => void
}

const EVENTS = ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'] as const

export class Chains {
  readonly #known: WalletNode[]
  readonly #addable: WalletNode[]
  readonly #listeners: NodeListeners
  #shown: WalletNode

  constructor(
    shown: WalletNode,
    further: { readonly chains: readonly WalletNode[]; readonly addable: readonly WalletNode[] },
    listeners: NodeListeners,
  ) {
    this.#shown = shown
    this.#known = [shown, ...further.chains]
    this.#addable = [...further.addable]
    this.#listeners = listeners
    this.#listen()
  }

  get shown(): WalletNode {
    return this.#shown
  }

  /** Shows another node. */
  show(node: WalletNode): void {
    this.close()
    this.#shown = node
    this.#listen()
  }

  /** The known node of a chain. @throws {WalletError} 4902 */
  async find(chainId: string): Promise<WalletNode> {
    const node = await nodeOf(chainId, this.#known)
    if (node !== undefined) return node
    throw new WalletError('unknownChain', `the wallet has no chain ${chainId}`)
  }

  /** The node of a chain, known or not yet. @throws {WalletError} 4902 */
  async findAddable(chainId: string): Promise<WalletNode> {
    const node = await nodeOf(chainId, [...this.#known, ...this.#addable])
    if (node !== undefined) return node
    throw new WalletError(
      'unknownChain',
      `the wallet has no node of chain ${chainId}: its test may pass one in 'addable'`,
    )
  }

  /** Makes an addable node a known one. */
  add(node: WalletNode): void {
    if (!this.#known.includes(node)) this.#known.push(node)
  }

  /** Ends listening to the shown node. */
  close(): void {
    for (const event of EVENTS) this.#shown.removeListener(event, this.#listeners[event])
  }

  #listen(): void {
    for (const event of EVENTS) this.#listenTo(event)
  }

  #listenTo<Name extends keyof WalletEvents>(event: Name): void {
    this.#shown.on(event, this.#listeners[event])
  }
}

/** Chain ids are asked for each time, since a dev chain can change its own. */
export async function chainIdOfNode(node: WalletNode): Promise<string> {
  return hexOf(String(await node.request({ method: 'eth_chainId' })))
}

async function nodeOf(chainId: string, nodes: readonly WalletNode[]): Promise<WalletNode | undefined> {
  const ids = await Promise.all(nodes.map((node) => chainIdOfNode(node).catch(() => undefined)))
  return nodes[ids.indexOf(chainId)]
}
