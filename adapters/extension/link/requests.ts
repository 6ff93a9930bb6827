/**
 * Requests over a channel that wait for their answers.
 * @module
 */
import type { CallError } from '../../../src/replay/recording.ts'
import type { Answered, Asked } from './messages.ts'

/** EIP-1193: the provider is disconnected. */
const DISCONNECTED = 4900
const TOO_MANY = -32005
const MAX_WAITING = 10_000

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** An error of a provider, with its code and data. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: CallError) {
    super(message)
    this.code = code
    this.data = data
  }
}

export class Requests {
  readonly #send: (message: Asked) => void
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1

  constructor(send: (message: Asked) => void) {
    this.#send = send
  }

  /** @throws {ProviderError} */
  request(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= MAX_WAITING) {
        return reject(new ProviderError({ code: TOO_MANY, message: 'too many requests wait for an answer' }))
      }
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      this.#send({ kind: 'ask', id, method, params })
    })
  }

  settle(answer: Answered): void {
    const waiting = this.#waiting.get(answer.id)
    if (waiting === undefined) return
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting.reject(new ProviderError(answer.error))
    else waiting.resolve(answer.result)
  }

  /** Fails what waits: nobody will answer. */
  fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new ProviderError({ code: DISCONNECTED, message }))
    this.#waiting.clear()
  }
}
