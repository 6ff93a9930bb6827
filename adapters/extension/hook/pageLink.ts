/**
 * The private connection from the page's world to the extension. The page cannot see the port: it comes in a message that
 * the first listener of the window, this one, ends.
 * @module
 */
import { HANDSHAKE } from '../link/handshake.ts'
import { parse, reflect } from './builtins.ts'

/** Characters that wait for the port. */
const MAX_WAITING = 1024 * 1024

const getter = (prototype: object, name: string): ((event: Event) => unknown) => {
  const read = reflect.getOwnPropertyDescriptor(prototype, name)?.get
  return (event) => reflect.apply(read, event, [])
}

const dataOf = getter(MessageEvent.prototype, 'data')
const portsOf = getter(MessageEvent.prototype, 'ports') as (event: Event) => readonly MessagePort[]
const sourceOf = getter(MessageEvent.prototype, 'source')
const { stopImmediatePropagation } = Event.prototype
const { postMessage } = MessagePort.prototype
const { addEventListener, removeEventListener } = EventTarget.prototype

export class PageLink {
  #port: MessagePort | undefined
  #waiting: string[] = []
  #waitingLength = 0
  readonly #receive: (message: unknown) => void

  /** @param receive gets what the extension sends */
  constructor(receive: (message: unknown) => void) {
    this.#receive = receive
    const listener = (event: Event): void => {
      if (dataOf(event) !== HANDSHAKE || sourceOf(event) !== window) return
      reflect.apply(stopImmediatePropagation, event, [])
      reflect.apply(removeEventListener, window, ['message', listener, true])
      const port = portsOf(event)[0]
      if (port !== undefined) this.#connect(port)
    }
    reflect.apply(addEventListener, window, ['message', listener, true])
  }

  send(text: string): void {
    if (this.#port !== undefined) reflect.apply(postMessage, this.#port, [text])
    else if (this.#waitingLength + text.length <= MAX_WAITING) {
      this.#waitingLength += text.length
      this.#waiting[this.#waiting.length] = text
    }
  }

  #connect(port: MessagePort): void {
    this.#port = port
    port.onmessage = (event) => {
      try {
        this.#receive(parse(dataOf(event) as string))
      } catch {
        // The page must not see a fault of the extension.
      }
    }
    for (let i = 0; i < this.#waiting.length; i++) this.send(this.#waiting[i] as string)
    this.#waiting = []
  }
}
