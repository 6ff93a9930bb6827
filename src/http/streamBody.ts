import { RESPONSE_STALL_MS } from '../base/limits/limits.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'

/** A streamed response body, for runtimes that serve `fetch`. The stream breaks when nobody reads it for a while. */
export function streamBody(
  stream: ByteStream,
  timers: Timers,
  stallMs: number = RESPONSE_STALL_MS,
): ReadableStream<Uint8Array> {
  let timer: Timer | undefined
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = timers.schedule(stallMs, () => {
      const error = new DOMException('the client does not read', 'TimeoutError')
      stream.break(error)
      controller.error(error)
    })
  }
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      pull: async (controller) => {
        timer?.cancel()
        try {
          const chunk = await stream.read()
          if (chunk === undefined) {
            controller.close()
            return
          }
          controller.enqueue(chunk)
          watch(controller)
        } catch {
          // The error is logged where it occurs; clients do not receive it.
          controller.error(new DOMException('the response was interrupted', 'AbortError'))
        }
      },
      cancel: (reason) => {
        timer?.cancel()
        stream.break(reason ?? new DOMException('the client disconnected', 'AbortError'))
      },
    },
    { highWaterMark: 0 },
  )
}
