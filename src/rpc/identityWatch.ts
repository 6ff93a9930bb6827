/**
 * Watches the chain id and the accounts of a node, which requests of developers and blocks can change.
 * @module
 */
import type { Unsubscribe } from '../base/primitives/events.ts'

interface WatchHost {
  /** Calls a method of the node. */
  read(method: 'eth_chainId' | 'eth_accounts'): Promise<unknown>
  /** undefined: only {@link IdentityWatch.check} compares */
  readonly onHead: ((listener: () => void) => Unsubscribe) | undefined
  emit(event: 'chainChanged' | 'accountsChanged', value: unknown): void
}

export class IdentityWatch {
  readonly #host: WatchHost
  readonly #stop: Unsubscribe | undefined
  #chainId: Promise<unknown>
  #accounts: Promise<unknown>
  #checking: Promise<void> | undefined
  #isStale = false

  constructor(host: WatchHost) {
    this.#host = host
    this.#chainId = host.read('eth_chainId')
    this.#accounts = host.read('eth_accounts')
    this.#stop = host.onHead?.(() => this.check())
  }

  /** Compares, and reports what has changed. A call during a comparison repeats it. */
  check(): void {
    this.#isStale = true
    this.#checking ??= this.#compareAll().finally(() => {
      this.#checking = undefined
    })
  }

  close(): void {
    this.#isStale = false
    this.#stop?.()
  }

  async #compareAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      // A closed node answers nothing.
      await this.#compare().catch(() => {})
    }
  }

  async #compare(): Promise<void> {
    const [chainIdBefore, accountsBefore] = [await this.#chainId, await this.#accounts]
    const [chainId, accounts] = await Promise.all([this.#host.read('eth_chainId'), this.#host.read('eth_accounts')])
    this.#chainId = Promise.resolve(chainId)
    this.#accounts = Promise.resolve(accounts)
    if (chainId !== chainIdBefore) this.#host.emit('chainChanged', chainId)
    if (JSON.stringify(accounts) !== JSON.stringify(accountsBefore)) this.#host.emit('accountsChanged', accounts)
  }
}
