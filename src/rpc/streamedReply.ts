/**
 * Sends a streamed result as a response.
 * @module
 */
import { STREAM_PENDING_BYTES } from '../base/limits/limits.ts'
import type { ByteSink } from '../base/primitives/byteSink.ts'
import { ByteStream, type PendingAccount } from '../base/primitives/byteStream.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { JsonWriter } from '../base/primitives/jsonWriter.ts'
import { isPromise } from './invoke.ts'
import type { RpcRequestContext } from './requestContext.ts'
import type { StreamedResult } from './streamedResult.ts'

/** A complete response, or a stream. */
export type StreamedText = string | ByteStream

type Chunk = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/**
 * Runs the writer. A result of one chunk is returned as text; a longer one as a stream, once its first chunk is
 * available.
 * @param before @param after text of the response around the result
 * @param onBroken receives errors that the writer throws after the first chunk
 * @throws errors that the writer throws earlier
 */
export function streamText(
  { write }: StreamedResult,
  before: string,
  after: string,
  context: RpcRequestContext,
  onBroken: (error: unknown) => void,
): StreamedText | Promise<StreamedText> {
  const sink = new ResponseSink(before, after, context)
  const out = new JsonWriter(sink)
  const written = write(out)
  if (!isPromise(written)) return sink.finish(out)
  return new Promise((resolve, reject) => {
    // The writer may have produced the first chunk before it waited for anything.
    if (sink.stream === undefined) sink.onStart = resolve
    else resolve(sink.stream)
    written.then(
      () => resolve(sink.finish(out)),
      (error) => {
        if (sink.stream === undefined) reject(error)
        else {
          sink.stream.break(error)
          onBroken(error)
        }
      },
    )
  })
}

/** Retains the first chunk of JsonWriter until it is known whether more follows. */
class ResponseSink implements ByteSink {
  stream: ByteStream | undefined
  onStart: ((stream: ByteStream) => void) | undefined
  readonly #before: string
  readonly #after: string
  readonly #context: RpcRequestContext
  #isLast = false
  #only: Chunk | undefined

  constructor(before: string, after: string, context: RpcRequestContext) {
    this.#before = before
    this.#after = after
    this.#context = context
  }

  get isFull(): boolean {
    return this.stream?.isFull === true
  }

  drained(): Promise<void> {
    return this.stream?.drained() ?? Promise.resolve()
  }

  write(chunk: Chunk): void {
    if (this.stream !== undefined) this.stream.write(chunk)
    else if (this.#isLast) this.#only = chunk
    else this.#start(chunk)
  }

  finish(out: JsonWriter): StreamedText {
    this.#isLast = true
    out.flush()
    const { stream } = this
    if (stream === undefined) return this.#before + decode(this.#only) + this.#after
    stream.write(encoder.encode(this.#after))
    stream.end()
    return stream
  }

  #start(chunk: Chunk): void {
    const stream = openStream(this.#context)
    this.stream = stream
    const before = encoder.encode(this.#before)
    const first = new Uint8Array(before.length + chunk.length)
    first.set(before)
    first.set(chunk, before.length)
    stream.write(first)
    this.onStart?.(stream)
  }
}

/** Opens the stream of a response. It breaks when the call is aborted, and vice versa. */
export function openStream(
  context: RpcRequestContext,
  account: PendingAccount | undefined = context.outbound,
): ByteStream {
  const stream = new ByteStream(STREAM_PENDING_BYTES, account)
  const { signal } = context
  const abort = (): void => stream.break(signal.reason)
  stream.onBreak((error) => {
    signal.removeEventListener('abort', abort)
    context.abort(error)
  })
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return stream
}

/**
 * Runs the writer and collects its text.
 * @param room maximum length of the text
 * @throws {NodeError} RESPONSE_TOO_LARGE; errors of the writer
 */
export function collectText(
  { write }: StreamedResult,
  room: number,
  context: Pick<RpcRequestContext, 'hold'>,
): string | Promise<string> {
  const sink = new CollectingSink(room, context)
  const out = new JsonWriter(sink)
  const written = write(out)
  const finish = (): string => {
    out.flush()
    return sink.text()
  }
  return isPromise(written) ? written.then(finish) : finish()
}

class CollectingSink implements ByteSink {
  readonly #decoder = new TextDecoder()
  readonly #context: Pick<RpcRequestContext, 'hold'>
  #room: number
  #text = ''

  constructor(room: number, context: Pick<RpcRequestContext, 'hold'>) {
    this.#room = room
    this.#context = context
  }

  get isFull(): boolean {
    return this.#room < 0
  }

  drained(): Promise<void> {
    return this.isFull ? Promise.reject(tooLarge()) : Promise.resolve()
  }

  write(chunk: Chunk): void {
    if (!this.#context.hold(chunk.length)) this.#room = -1
    this.#room -= chunk.length
    this.#text = this.isFull ? '' : this.#text + this.#decoder.decode(chunk, { stream: true })
  }

  text(): string {
    if (this.isFull) throw tooLarge()
    return this.#text === '' ? 'null' : this.#text
  }
}

function tooLarge(): NodeError {
  return new NodeError({ code: 'RESPONSE_TOO_LARGE' }, 'response too large')
}

function decode(chunk: Chunk | undefined): string {
  return chunk === undefined ? 'null' : new TextDecoder().decode(chunk)
}
