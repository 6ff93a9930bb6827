/**
 * A node in a worker of this tab: chains in memory, which no other tab can have.
 * @module
 */
import type { Listener, Provider, RequestArguments } from '../../page/rpc/eip1193.ts'
import { ConnectionError } from '../../page/rpc/errors.ts'
import { scriptUrl } from '../scriptUrl.ts'
import { unlessAborted } from './abort.ts'
import { Channel } from './channel.ts'
import type { EventName, MemoryChoice, RpcRequest, SavedChain } from './commands.ts'

export interface WorkerNodeOptions {
  /** The wallet whose chain a fork continues. */
  readonly wallet?: Provider | undefined
}

/** A worker that knows the saved chains, and opens one node. */
export class WorkerNode implements Provider {
  readonly #worker: Worker
  readonly #channel: Channel
  readonly #listeners = new Map<string, Set<Listener>>()

  constructor({ wallet }: WorkerNodeOptions = {}) {
    const { port1, port2 } = new MessageChannel()
    this.#channel = new Channel(port1, {
      event: (name: EventName, value: unknown) => this.#emit(name, value),
      wallet: (request: RpcRequest) => wallet?.request(request),
    })
    this.#worker = new Worker(scriptUrl('worker.js'), { type: 'module', name: 'isonode' })
    this.#worker.onerror = () => this.close()
    this.#worker.postMessage(undefined, [port2])
  }

  /** @throws {ChannelError} with the code of `createBrowserNode` */
  open(choice: MemoryChoice): Promise<void> {
    return this.#channel.call('open', choice)
  }

  savedChains(): Promise<readonly SavedChain[]> {
    return this.#channel.call('savedChains')
  }

  /** @throws {ChannelError} DATABASE_LOCKED when a tab has it open */
  deleteChain(database: string): Promise<void> {
    return this.#channel.call('deleteChain', database)
  }

  request({ method, params, signal }: RequestArguments): Promise<unknown> {
    return unlessAborted(this.#channel.call('request', { method, params }), signal)
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
  }

  removeListener(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener)
  }

  /** Also called when the worker could not be loaded, or ran out of memory. */
  close(): void {
    const error = new ConnectionError('The worker of the node ended. Reload the page.')
    this.#worker.terminate()
    this.#channel.fail(error)
    this.#emit('disconnect', error)
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value)
  }
}
