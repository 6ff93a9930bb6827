import { MAX_KEPT_CODE_BYTES } from '../../base/limits/limits.ts'
import { FRAME_CODE, FRAME_PARENT } from './assembly/layout.ts'
import type { NativeInstance } from './instance.ts'

/** Most code fits twice. */
const SPAN_BYTES = 0x10000

/** Consecutive memory for code; its size is SPAN_BYTES times a power of two. */
interface Span {
  readonly pointer: number
  readonly size: number
  /** Bytes in use. */
  used: number
  readonly codes: Uint8Array[]
}

/**
 * Memory for code that is released when no frame runs it. It is released a span at a time, once the spans hold much
 * more than the frames need, so the work is small compared with copying the code.
 */
export class CodeSpans {
  readonly #instance: NativeInstance
  readonly #onReleased: (code: Uint8Array) => void
  #spans: Span[] = []
  /** Pointers of free spans by their size. */
  readonly #free = new Map<number, number[]>()
  #open: Span | undefined
  #bytes = 0
  #releaseAbove = MAX_KEPT_CODE_BYTES

  constructor(instance: NativeInstance, onReleased: (code: Uint8Array) => void) {
    this.#instance = instance
    this.#onReleased = onReleased
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  reserve(code: Uint8Array, bytes: number): number {
    const span = this.#spanFor(bytes)
    const pointer = span.pointer + span.used
    span.used += (bytes + 31) & ~31
    span.codes.push(code)
    return pointer
  }

  #spanFor(bytes: number): Span {
    const open = this.#open
    if (open !== undefined && open.used + bytes <= open.size) return open
    let size = SPAN_BYTES
    while (size < bytes) size *= 2
    if (this.#bytes + size > this.#releaseAbove) this.#release()
    const pointer = this.#free.get(size)?.pop() ?? this.#instance.allocate(size)
    const span: Span = { pointer, size, used: 0, codes: [] }
    this.#spans.push(span)
    this.#bytes += size
    this.#open = span
    return span
  }

  #release(): void {
    const running = this.#runningCode()
    const kept: Span[] = []
    this.#bytes = 0
    let next = 0
    for (const span of this.#spans.sort((a, b) => a.pointer - b.pointer)) {
      while (next < running.length && (running[next] as number) < span.pointer) next++
      if ((running[next] ?? Number.POSITIVE_INFINITY) < span.pointer + span.size) {
        kept.push(span)
        this.#bytes += span.size
      } else {
        this.#freeSpan(span)
      }
    }
    this.#spans = kept
    this.#open = undefined
    this.#releaseAbove = Math.max(MAX_KEPT_CODE_BYTES, this.#bytes * 2)
    this.#instance.forgetCodes()
  }

  #freeSpan({ pointer, size, codes }: Span): void {
    for (const code of codes) this.#onReleased(code)
    const free = this.#free.get(size)
    if (free === undefined) this.#free.set(size, [pointer])
    else free.push(pointer)
  }

  /** Pointers to the code of all frames, ascending. */
  #runningCode(): number[] {
    const instance = this.#instance
    const pointers: number[] = []
    for (let { frame } = instance; frame !== 0; frame = instance.u32(frame + FRAME_PARENT)) {
      pointers.push(instance.u32(frame + FRAME_CODE))
    }
    return pointers.sort((a, b) => a - b)
  }
}
