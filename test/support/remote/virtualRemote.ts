/** Remotes in virtual time, and a client of them. */
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { RemoteTransport, SendOptions, TransportAnswer } from '../../../src/base/ports/remoteTransport.ts'
import type { Timer, Timers } from '../../../src/base/ports/timers.ts'
import type { NodeError } from '../../../src/base/primitives/errors.ts'
import { createRemoteClient, type RemoteClientOptions } from '../../../src/remote/client.ts'
import type { RemoteClient } from '../../../src/remote/contract.ts'
import { unavailable } from '../../../src/remote/errors.ts'
import { FakeTime } from '../host/fakeTime.ts'
import { countingRandom } from '../host/random.ts'

export interface SentRequest {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** One HTTP request as it arrived. */
export interface SentBody {
  /** Milliseconds since the start. */
  readonly atMs: number
  readonly requests: readonly SentRequest[]
  readonly isBatch: boolean
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** The fate of one HTTP request: an answer, a failed connection (a text), or nothing. */
export type Reaction = Partial<TransportAnswer> | string | undefined

/** @param answer result of one request; an error is thrown */
export type Answer = (request: SentRequest) => unknown

export class VirtualRemote implements RemoteTransport {
  readonly origin: string
  readonly sent: SentBody[] = []
  latencyMs = 60
  isClosed = false
  /** Decides about whole HTTP requests; undefined: as usual. */
  react: ((body: SentBody, number: number) => Reaction | 'usual') | undefined
  readonly #time: FakeTime
  readonly #answer: Answer

  constructor(time: FakeTime, origin: string, answer: Answer = ({ params }) => params[0] ?? null) {
    this.#time = time
    this.origin = origin
    this.#answer = answer
  }

  send(text: string, { signal, maxBytes }: SendOptions): Promise<TransportAnswer> {
    const json = JSON.parse(text) as SentRequest | SentRequest[]
    const isBatch = Array.isArray(json)
    const requests = isBatch ? json : [json]
    const body: SentBody = { atMs: this.#time.monotonic(), requests, isBatch, maxBytes, signal }
    this.sent.push(body)
    const reaction = this.react === undefined ? 'usual' : this.react(body, this.sent.length)
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
      if (reaction === undefined) return
      this.#time.schedule(this.latencyMs, () => {
        if (reaction === 'usual') resolve({ status: 200, text: this.answerTo(body) })
        else if (typeof reaction === 'string') reject(unavailable(reaction))
        else resolve({ status: 200, text: '', ...reaction })
      })
    })
  }

  close(): void {
    this.isClosed = true
  }

  answerTo({ requests, isBatch }: SentBody): string {
    const answers = requests.map((request) => {
      try {
        return { jsonrpc: '2.0', id: request.id, result: this.#answer(request) }
      } catch (error) {
        return { jsonrpc: '2.0', id: request.id, error }
      }
    })
    return JSON.stringify(isBatch ? answers : answers[0])
  }
}

/** Passes virtual time, with the promises that make progress meanwhile. */
export async function pass(time: FakeTime, ms: number, stepMs = 1): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    time.advance(stepMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Passes virtual time until a promise is settled. @returns milliseconds that it took */
export async function settled(time: FakeTime, promise: Promise<unknown>, mostMs: number, stepMs = 1): Promise<number> {
  const start = time.now()
  let isSettled = false
  const settle = (): void => {
    isSettled = true
  }
  promise.then(settle, settle)
  while (!isSettled) {
    if (time.now() - start > mostMs) throw new Error(`nothing after ${mostMs} ms`)
    await pass(time, stepMs, stepMs)
  }
  return time.now() - start
}

/** Counts the timers that are pending. */
export class CountedTimers implements Timers {
  pending = 0
  readonly #timers: Timers

  constructor(timers: Timers) {
    this.#timers = timers
  }

  schedule(delayMs: number, callback: () => void): Timer {
    this.pending++
    let isOver = false
    const end = (): void => {
      if (!isOver) this.pending--
      isOver = true
    }
    const timer = this.#timers.schedule(delayMs, () => {
      end()
      callback()
    })
    return {
      cancel: () => {
        end()
        timer.cancel()
      },
    }
  }
}

/** The error of a promise that is rejected later. */
export function failureOf(promise: Promise<unknown>): Promise<NodeError> {
  return promise.then(
    (value) => {
      throw new Error(`no failure, but ${JSON.stringify(value)}`)
    },
    (error: NodeError) => error,
  )
}

export interface VirtualClient {
  readonly time: FakeTime
  readonly client: RemoteClient
  readonly timers: CountedTimers
  /** Lines of the log. */
  readonly log: string[]
}

/** @param sources made with the time of the client */
export function openVirtualClient(
  sources: (time: FakeTime) => RemoteClientOptions['sources'],
  options: Partial<RemoteClientOptions> = {},
): VirtualClient {
  const time = new FakeTime(1_000_000)
  const timers = new CountedTimers(time)
  const log: string[] = []
  const logger: Logger = { ...silentLogger, warn: (message) => void log.push(message) }
  const random = countingRandom()
  return {
    time,
    timers,
    log,
    client: createRemoteClient({
      sources: sources(time),
      clock: time,
      timers,
      random,
      logger,
      ...options,
    }),
  }
}
