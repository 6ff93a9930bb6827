/**
 * The chain that a node has at present, for the parts that outlive it.
 * @module
 */
import { Emitter, type Unsubscribe } from '../base/primitives/events.ts'
import type { PinServices } from '../rpc/envelope.ts'
import type { RpcObserver } from '../rpc/rpcObserver.ts'
import type { Lifecycles } from './lifecycle.ts'
import type { NodeBackend } from './rpcInterface.ts'
import type { RunningChain } from './runningChain.ts'

export class PresentChain {
  #chain: RunningChain
  #stopHeads: Unsubscribe
  readonly #heads = new Emitter<{ moved: undefined }>()
  lifecycles: Lifecycles | undefined
  /** Gives each request the services of the chain on which it begins; undefined: there was one chain only. */
  pin: PinServices<NodeBackend> | undefined
  /** Calls go to the log of the chain. */
  readonly observer: RpcObserver = {
    begin: (method, startedMs, isOwnPage) => this.#chain.log?.begin(method, startedMs, isOwnPage),
  }

  constructor(first: RunningChain) {
    this.#chain = first
    this.#stopHeads = this.#watch()
  }

  get chain(): RunningChain {
    return this.#chain
  }

  set chain(next: RunningChain) {
    this.#stopHeads()
    this.#chain = next
    this.#stopHeads = this.#watch()
    this.#heads.emit('moved', undefined)
  }

  /** Calls the listener whenever the head may have moved. */
  readonly onHead = (listener: () => void): Unsubscribe => this.#heads.on('moved', listener)

  #watch(): Unsubscribe {
    return this.#chain.services.chain.events.on('head', () => this.#heads.emit('moved', undefined))
  }
}
