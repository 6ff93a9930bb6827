/**
 * The rest of a batch that does not finish synchronously: it shares the event loop with other batches, and a long
 * answer is streamed.
 * @module
 */
import { BATCH_STREAM_LENGTH, RPC_TIME_SLICE_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'
import { characterBytes } from '../base/primitives/textMemory.ts'
import { isPromise } from './invoke.ts'
import { joinAnswers, type Reply } from './reply.ts'
import type { RpcRequestContext } from './requestContext.ts'
import { openStream } from './streamedReply.ts'

export interface BatchRest {
  readonly context: RpcRequestContext
  readonly count: number
  /** Estimated memory of the parsed requests. */
  readonly bytes: number
  /**
   * Runs one request.
   * @param length of the preceding answers, in characters; Infinity when no space is left
   */
  answer(index: number, length: number): Reply | Promise<Reply>
}

/** Length of a streamed chunk, in characters. */
const CHUNK_LENGTH = 65_536

const encoder = new TextEncoder()

/** Runs one slice of one batch per event-loop turn, regardless of the number of batches. */
export class BatchRunner {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #yieldToHost: YieldToHost
  #lastTurn: Promise<void> = Promise.resolve()

  constructor(clock: Pick<Clock, 'monotonic'>, yieldToHost: YieldToHost) {
    this.#clock = clock
    this.#yieldToHost = yieldToHost
  }

  /**
   * Continues with the request at `index`.
   * @param before answers of the preceding requests
   */
  async run(rest: BatchRest, index: number, before: string): Promise<Reply> {
    const { context, count, bytes } = rest
    let body = before
    let width = characterBytes(body)
    let sliceEnd = 0
    let isFull = false
    for (let i = index; i < count; i++) {
      context.release()
      isFull = !context.hold(bytes + body.length * width)
      if (context.streams && ((isFull && body !== '') || body.length > BATCH_STREAM_LENGTH)) {
        return this.#stream(rest, i, body)
      }
      if (this.#clock.monotonic() > sliceEnd) sliceEnd = await this.#turn()
      const reply = rest.answer(i, isFull && !context.streams ? Number.POSITIVE_INFINITY : body.length)
      const { body: next } = isPromise(reply) ? await reply : reply
      if (width === 1) width = characterBytes(next)
      body = joinAnswers(body, next)
    }
    return { status: 200, body: `[${body}]` }
  }

  /** @returns the end of the next slice */
  async #turn(): Promise<number> {
    this.#lastTurn = this.#lastTurn.then(this.#yieldToHost)
    await this.#lastTurn
    return this.#clock.monotonic() + RPC_TIME_SLICE_MS
  }

  #stream(rest: BatchRest, next: number, before: string): Reply {
    const stream = openStream(rest.context, rest.context.outbound?.ofBatch())
    this.#streamRest(new StreamedBatch(rest, stream, before), next).catch((error) => {
      rest.context.release()
      stream.break(error)
    })
    return { status: 200, body: '', stream }
  }

  async #streamRest(batch: StreamedBatch, next: number): Promise<void> {
    let sliceEnd = 0
    for (let i = next; i < batch.count; i++) {
      if (batch.isFull) await batch.drained()
      if (this.#clock.monotonic() > sliceEnd) sliceEnd = await this.#turn()
      const pending = batch.answer(i)
      if (pending !== undefined) await pending
    }
    batch.end()
  }
}

/**
 * Encodes the answers of a batch. A function that waits keeps all of its variables, so none that does has a text, which
 * would stay in memory beside its bytes until the peer reads.
 */
class StreamedBatch {
  readonly #rest: BatchRest
  readonly #stream: ByteStream
  /** Of all answers, in characters. */
  #length: number
  /** Answers that are not encoded yet. */
  #text: string

  /** @param before answers of the preceding requests */
  constructor(rest: BatchRest, stream: ByteStream, before: string) {
    this.#rest = rest
    this.#stream = stream
    this.#length = before.length
    this.#text = `[${before}`
    this.#write()
  }

  get count(): number {
    return this.#rest.count
  }

  get isFull(): boolean {
    return this.#stream.isFull
  }

  /**
   * Resolves when there is room for further answers. Until then the requests count as unsent output: when others need
   * the memory, the connection is ended, so batches that wait do not keep each other waiting.
   */
  async drained(): Promise<void> {
    const { context, bytes } = this.#rest
    context.release()
    context.outbound?.add(bytes)
    try {
      await this.#stream.drained()
    } finally {
      context.outbound?.sent(bytes)
    }
    context.hold(bytes)
  }

  /** Runs one request. */
  answer(index: number): Promise<void> | undefined {
    const reply = this.#rest.answer(index, this.#length)
    if (isPromise(reply)) return reply.then(({ body }) => this.#add(body))
    this.#add(reply.body)
    return undefined
  }

  end(): void {
    this.#text += ']'
    this.#write()
    this.#rest.context.release()
    this.#stream.end()
  }

  #add(body: string): void {
    if (body === '') return
    this.#text += `,${body}`
    this.#length += body.length + 1
    if (this.#text.length >= CHUNK_LENGTH) this.#write()
  }

  #write(): void {
    const text = this.#text
    this.#text = ''
    for (let from = 0; from < text.length; ) {
      const to = chunkEnd(text, from)
      this.#stream.write(encoder.encode(text.slice(from, to)))
      from = to
    }
    const { context, bytes } = this.#rest
    context.release()
    context.hold(bytes)
  }
}

/** Never splits a surrogate pair. */
function chunkEnd(text: string, from: number): number {
  const to = from + CHUNK_LENGTH
  if (to >= text.length) return text.length
  const last = text.charCodeAt(to - 1)
  return last >= 0xd800 && last < 0xdc00 ? to - 1 : to
}
