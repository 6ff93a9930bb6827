/**
 * Calls between the page and the worker of its node, in both directions.
 * @module
 */

export type Handler = (...args: readonly never[]) => unknown

/** Calls that wait for an answer. A page that asks for more has an error in its own code. */
const MAX_WAITING = 10_000

interface Call {
  readonly call: number
  readonly name: string
  readonly args: readonly never[]
}

interface Answer {
  readonly answer: number
  readonly value?: unknown
  readonly error?: ErrorParts
}

/** The part of an error that goes to another thread. */
interface ErrorParts {
  readonly message: string
  readonly code: unknown
  readonly data: unknown
}

/** An error of the other side: `code` is that of JSON-RPC, or a word such as `DATABASE_LOCKED`. */
class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: unknown
  readonly data: unknown

  constructor({ message, code, data }: ErrorParts) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export class Channel {
  readonly #port: MessagePort
  readonly #handlers: Readonly<Record<string, Handler>>
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #failure: Error | undefined

  /** @param handlers what the other side may call, by name */
  constructor(port: MessagePort, handlers: Readonly<Record<string, Handler>>) {
    this.#port = port
    this.#handlers = handlers
    port.onmessage = ({ data }) => this.#receive(data)
  }

  /** @throws {ChannelError} what the handler threw, or the failure of the channel */
  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure !== undefined) throw this.#failure
      if (this.#waiting.size >= MAX_WAITING) throw new RangeError(`more than ${MAX_WAITING} calls wait for the node`)
      const call = ++this.#calls
      this.#port.postMessage({ call, name, args })
      this.#waiting.set(call, { resolve, reject })
    })
  }

  /** The other side is gone: fails all calls. */
  fail(error: Error): void {
    this.#failure = error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #receive(message: unknown): void {
    if (isCall(message)) void this.#answer(message)
    else if (isAnswer(message)) this.#settle(message)
  }

  async #answer({ call, name, args }: Call): Promise<void> {
    try {
      const handler = Object.hasOwn(this.#handlers, name) ? this.#handlers[name] : undefined
      if (handler === undefined) throw new TypeError(`there is no call ${name}`)
      this.#port.postMessage({ answer: call, value: await handler(...args) } satisfies Answer)
    } catch (error) {
      this.#port.postMessage({ answer: call, error: partsOf(error) } satisfies Answer)
    }
  }

  #settle({ answer, value, error }: Answer): void {
    const waiting = this.#waiting.get(answer)
    this.#waiting.delete(answer)
    if (error === undefined) waiting?.resolve(value as never)
    else waiting?.reject(new ChannelError(error))
  }
}

function isCall(message: unknown): message is Call {
  const { call, name, args } = (message ?? {}) as Partial<Call>
  return typeof call === 'number' && typeof name === 'string' && Array.isArray(args)
}

function isAnswer(message: unknown): message is Answer {
  return typeof (message as Partial<Answer> | null)?.answer === 'number'
}

function partsOf(error: unknown): ErrorParts {
  if (typeof error !== 'object' || error === null) return { message: String(error), code: undefined, data: undefined }
  const { message, code, data } = error as Partial<ErrorParts>
  return { message: String(message), code, data }
}
