/**
 * The requests and notifications of one tab, within its bounds.
 * @module
 */
import {
  MAX_TAB_PARALLEL,
  MAX_TAB_REQUEST_BYTES,
  MAX_TAB_REQUESTS,
  MAX_UNHEARD_BYTES,
  MAX_UNHEARD_EVENTS,
} from '../../../src/base/limits/limits.ts'
import { errorParts } from './clientRequests.ts'
import type { TabProvider } from './hostedNode.ts'
import type { Port } from './port.ts'
import { type EventMessage, type HostMessage, type QuestionMessage, readTabMessage, type TabMessage } from './wire.ts'

export interface TabPortOptions {
  readonly port: Port
  readonly provider: TabProvider
  answer(message: QuestionMessage, provider: TabProvider): Promise<unknown>
  /** Called when a request waits for {@link TabPort.beginNext}. */
  onWaiting(): void
  onEnd(): void
}

const LIMIT_EXCEEDED = -32005

export class TabPort {
  readonly #options: TabPortOptions
  readonly #waiting: QuestionMessage[] = []
  /** Of the requests that wait or run. */
  #bytes = 0
  #running = 0
  /** Sizes of the notifications that the tab has not confirmed, oldest first. */
  readonly #unheard: number[] = []
  #unheardBytes = 0
  #isWatching = false
  #hasEnded = false

  constructor(options: TabPortOptions) {
    this.#options = options
    const { port, provider } = options
    port.onMessage((data) => {
      const message = readTabMessage(data)
      if (message !== undefined) this.#take(message)
    })
    provider.on('message', (event: unknown) => this.#notify('message', event))
  }

  /** @returns whether there was a request to begin */
  beginNext(): boolean {
    if (this.#running >= MAX_TAB_PARALLEL) return false
    const message = this.#waiting.shift()
    if (message === undefined) return false
    void this.#run(message)
    return true
  }

  /** Ends the subscriptions of the tab, and forgets its requests. Those that run go on. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { port, provider, onEnd } = this.#options
    this.#waiting.length = 0
    provider.close()
    port.post({ isonode: 'ended' } satisfies HostMessage)
    port.close()
    onEnd()
  }

  #take(message: TabMessage): void {
    switch (message.isonode) {
      case 'request':
      case 'fetch':
      case 'import':
        this.#receive(message)
        break
      case 'watch':
        this.#watch()
        break
      case 'heard':
        for (const size of this.#unheard.splice(0, message.count)) this.#unheardBytes -= size
        break
      case 'leave':
        this.end()
        break
      case 'connect':
        break
    }
  }

  #receive(message: QuestionMessage): void {
    const size = sizeOf(message)
    const count = this.#waiting.length + this.#running
    if (count >= MAX_TAB_REQUESTS || this.#bytes + size > MAX_TAB_REQUEST_BYTES) {
      const error = { code: LIMIT_EXCEEDED, message: 'too many requests of this tab wait' }
      this.#post({ isonode: 'failure', id: message.id, error })
      return
    }
    this.#bytes += size
    this.#waiting.push(message)
    this.#options.onWaiting()
  }

  async #run(message: QuestionMessage): Promise<void> {
    const { id } = message
    this.#running++
    try {
      const result = await this.#options.answer(message, this.#options.provider)
      this.#post({ isonode: 'answer', id, result })
    } catch (error) {
      this.#post({ isonode: 'failure', id, error: errorParts(error) })
    }
    this.#running--
    this.#bytes -= sizeOf(message)
    if (this.#waiting.length > 0) this.#options.onWaiting()
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    const { provider } = this.#options
    provider.on('chainChanged', (value: unknown) => this.#notify('chainChanged', value))
    provider.on('accountsChanged', (value: unknown) => this.#notify('accountsChanged', value))
  }

  /** A tab that hears nothing, such as a frozen one, connects again when it wakes up. */
  #notify(name: EventMessage['name'], value: unknown): void {
    const size = JSON.stringify(value).length
    this.#unheard.push(size)
    this.#unheardBytes += size
    this.#post({ isonode: 'event', name, value })
    if (this.#unheard.length > MAX_UNHEARD_EVENTS || this.#unheardBytes > MAX_UNHEARD_BYTES) this.end()
  }

  #post(message: HostMessage): void {
    if (!this.#hasEnded) this.#options.port.post(message)
  }
}

function sizeOf(message: QuestionMessage): number {
  switch (message.isonode) {
    case 'request':
      return 2 * (message.method.length + message.params.length)
    case 'fetch':
      return message.request.body?.byteLength ?? 0
    case 'import':
      // The browser keeps the content of a blob, not the worker.
      return 0
  }
}
