/**
 * The change of a dev node to another chain: its parts are composed again over a new store, and take over at once.
 * @module
 */
import type { ChainSuccession, ForkResetTarget } from '../api/forkAccess.ts'
import type { RpcBackend } from '../rpc/backend.ts'
import type { PinServices } from '../rpc/envelope.ts'
import type { DevChains, NextChain } from './host.ts'
import type { Lifecycles } from './lifecycle.ts'
import type { PresentChain } from './presentChain.ts'
import { type NodeBackend, type RpcInterface, withOpenRpc } from './rpcInterface.ts'
import type { RunningChain } from './runningChain.ts'

export interface SuccessionDeps extends Pick<RpcInterface, 'openProvider'> {
  readonly chains: DevChains
  readonly present: PresentChain
  /** Composes the parts of a chain. They are not started. */
  compose(next: NextChain): Promise<RunningChain>
}

/** One change at a time. */
export class Succession implements ChainSuccession {
  readonly #deps: SuccessionDeps
  /** The backend of the first chain, which endpoints hold: it gets the members of the present one. */
  readonly #shown: RpcBackend
  /** The store of the present chain; undefined: that of the host. */
  #open: NextChain | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(deps: SuccessionDeps) {
    const { present } = deps
    this.#deps = deps
    this.#shown = present.chain.backend
    present.pin = pinTo(present)
  }

  toFork(target: ForkResetTarget): Promise<void> {
    return this.#replaceInTurn(() => this.#deps.chains.toFork(target))
  }

  toPlain(): Promise<void> {
    return this.#replaceInTurn(() => this.#deps.chains.toPlain())
  }

  #replaceInTurn(open: () => Promise<NextChain>): Promise<void> {
    const change = this.#last.then(() => this.#replace(open))
    this.#last = change.catch(() => {})
    return change
  }

  async #replace(open: () => Promise<NextChain>): Promise<void> {
    const next = await open()
    try {
      await this.#begin(next)
    } catch (error) {
      await next.close()
      throw error
    }
    const former = this.#open
    this.#open = next
    await former?.close()
  }

  async #begin(next: NextChain): Promise<void> {
    const { present, compose, openProvider } = this.#deps
    const chain = await compose(next)
    const lifecycles = await chain.lifecycles(openProvider)
    try {
      await lifecycles.start()
      await chain.goOnline()
    } catch (error) {
      await lifecycles.stop()
      throw error
    }
    Object.defineProperties(this.#shown, Object.getOwnPropertyDescriptors(chain.backend))
    await become(present, chain, lifecycles)?.stop()
  }

  /** Stops the present chain, after a change in progress, and releases its store, unless it is that of the host. */
  async stop(): Promise<void> {
    await this.#last
    await this.#deps.present.lifecycles?.stop()
    await this.#open?.close()
  }
}

/**
 * Requests that begin now use the next chain; those in progress keep theirs.
 * @param lifecycles of the next chain, started
 * @returns those of the chain before it
 */
function become(present: PresentChain, next: RunningChain, lifecycles: Lifecycles): Lifecycles | undefined {
  const before = present.lifecycles
  const { services } = present.chain.info
  for (const name of Object.keys(services) as (keyof typeof services)[]) {
    const address = services[name]
    if (address !== undefined) next.info.announce(name, address)
  }
  tellOf(next)
  present.lifecycles = lifecycles
  present.chain = next
  return before
}

/** Filters and subscriptions outlive a chain. */
function tellOf({ feeds, services: { chain }, production: { pool }, residency }: RunningChain): void {
  const sources = { chain, chainEvents: chain.events, poolEvents: pool.events }
  feeds.filters.follow(sources)
  feeds.subscriptions.follow(sources, residency)
}

type Services = Parameters<PinServices<NodeBackend>>[0]

function pinTo(present: PresentChain): PinServices<NodeBackend> {
  const pinned = new WeakMap<Services, { readonly chain: RunningChain; readonly services: Services }>()
  return (services) => {
    const { chain } = present
    const known = pinned.get(services)
    if (known?.chain === chain) return known.services
    const backend = withOpenRpc(chain.backend, services.backend.openRpc)
    const next = { ...services, backend, heavy: services.heavy.over(backend), residency: chain.residency }
    pinned.set(services, { chain, services: next })
    return next
  }
}
