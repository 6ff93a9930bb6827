/**
 * The worker in which the node of the page runs, so that the page stays smooth. All tabs share the node of a saved chain, as
 * with `isonode/browser-worker`. For everything else, a tab sends a message port to a worker that only it has.
 * @module
 */
import '../../browser/sharing/worker.ts'
import { type BrowserNode, type BrowserNodeOptions, createBrowserNode } from '../../browser/index.ts'
import { Channel, type Handler } from '../node/channel.ts'
import { EVENTS, type MemoryChoice, type RpcRequest } from '../node/commands.ts'
import { deleteChain, savedChains } from './savedChains.ts'

class NodeServer {
  readonly #channel: Channel
  #node: BrowserNode | undefined

  constructor(port: MessagePort) {
    const handlers = {
      open: (choice: MemoryChoice) => this.#open(choice),
      request: ({ method, params }: RpcRequest) => this.#request(method, params),
      savedChains,
      deleteChain,
    }
    this.#channel = new Channel(port, handlers satisfies Record<string, Handler>)
  }

  async #open(choice: MemoryChoice): Promise<void> {
    const node = await createBrowserNode(this.#optionsOf(choice))
    this.#node = node
    for (const name of EVENTS) node.on(name, (value: unknown) => void this.#channel.call('event', name, plain(value)))
  }

  #request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    if (this.#node === undefined) throw new TypeError('the node is not open')
    return this.#node.request(method, params)
  }

  #optionsOf(choice: MemoryChoice): BrowserNodeOptions {
    switch (choice.kind) {
      case 'memory':
        return { storage: 'memory', chainId: choice.chainId }
      case 'fork':
        return { fork: { url: choice.url, block: choice.block } }
      case 'wallet': {
        const request = (input: RpcRequest): Promise<unknown> => this.#channel.call('wallet', input)
        return { fork: { provider: { request }, block: choice.block } }
      }
    }
  }
}

/** Errors lose their members on the way to another thread. */
function plain(value: unknown): unknown {
  return value instanceof Error ? { message: value.message, code: (value as { code?: unknown }).code } : value
}

addEventListener('message', ({ ports: [port] }: MessageEvent) => {
  if (port !== undefined) new NodeServer(port)
})
