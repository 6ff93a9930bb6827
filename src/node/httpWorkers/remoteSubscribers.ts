import type { Subscriber } from '../../api/feeds/subscriptionHub.ts'

export interface RemoteSubscribersOptions {
  notify(subscriber: number, text: string): void
  /** Whether the other process has not taken much of what was sent. */
  isBehind(): boolean
}

/** Connections that another process serves and that subscribe in this one, by their number there. */
export class RemoteSubscribers {
  readonly #options: RemoteSubscribersOptions
  readonly #open = new Map<number, RemoteSubscriber>()

  constructor(options: RemoteSubscribersOptions) {
    this.#options = options
  }

  of(number: number | undefined): Subscriber | undefined {
    if (number === undefined) return undefined
    let subscriber = this.#open.get(number)
    if (subscriber === undefined) {
      subscriber = new RemoteSubscriber(number, this.#options)
      this.#open.set(number, subscriber)
    }
    return subscriber
  }

  remove(number: number): void {
    this.#open.get(number)?.close()
    this.#open.delete(number)
  }

  close(): void {
    for (const number of [...this.#open.keys()]) this.remove(number)
  }
}

class RemoteSubscriber implements Subscriber {
  readonly #number: number
  readonly #options: RemoteSubscribersOptions
  readonly #closeListeners: (() => void)[] = []
  #isClosed = false

  constructor(number: number, options: RemoteSubscribersOptions) {
    this.#number = number
    this.#options = options
  }

  get isBehind(): boolean {
    return this.#options.isBehind()
  }

  send(text: string): void {
    if (!this.#isClosed) this.#options.notify(this.#number, text)
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#closeListeners.push(listener)
  }

  close(): void {
    this.#isClosed = true
    for (const listener of this.#closeListeners.splice(0)) listener()
  }
}
