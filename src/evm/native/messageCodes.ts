import { MAX_KEPT_CODE_BYTES } from '../../base/limits/limits.ts'
import { CODE_PADDING } from './assembly/layout.ts'
import { CodeSpans } from './codeSpans.ts'
import type { NativeInstance } from './instance.ts'

/** Code in the memory of an instance. */
export interface PlacedCode {
  readonly pointer: number
  readonly length: number
  /** Pointer to the bitmap of jump destinations. */
  readonly bitmap: number
}

/**
 * Jump destinations of code, as computed by the module. The key is the byte string of the state's code cache: when the
 * bounded cache evicts it, its destinations are released too.
 */
const bitmaps = new WeakMap<Uint8Array, Uint8Array>()

/**
 * The code used by one message; each byte string is copied into the instance once. A message that uses much code has
 * only that of its frames and what it used last.
 */
export class MessageCodes {
  readonly #instance: NativeInstance
  readonly #placed = new Map<Uint8Array, PlacedCode>()
  #keptBytes = 0
  #spans: CodeSpans | undefined

  constructor(instance: NativeInstance) {
    this.#instance = instance
  }

  /**
   * The placement is valid until the next one, and as long as a frame runs it.
   * @throws {NodeError} EXECUTION_OUT_OF_MEMORY
   */
  place(code: Uint8Array): PlacedCode {
    const placement = this.#placed.get(code)
    if (placement !== undefined) return placement
    const { length } = code
    const bitmapLength = (length + 7) >> 3
    const pointer = this.#reserve(code, length + CODE_PADDING + bitmapLength)
    const bitmap = pointer + length + CODE_PADDING
    this.#instance.write(pointer, code)
    this.#instance.bytes.fill(0, pointer + length, bitmap)
    this.#markJumps(code, pointer, bitmap, bitmapLength)
    const placed = { pointer, length, bitmap }
    this.#placed.set(code, placed)
    return placed
  }

  #reserve(code: Uint8Array, bytes: number): number {
    if (this.#keptBytes + bytes <= MAX_KEPT_CODE_BYTES) {
      this.#keptBytes += bytes
      return this.#instance.allocate(bytes)
    }
    this.#spans ??= new CodeSpans(this.#instance, (released) => this.#placed.delete(released))
    return this.#spans.reserve(code, bytes)
  }

  #markJumps(code: Uint8Array, pointer: number, bitmap: number, bitmapLength: number): void {
    const cachedBitmap = bitmaps.get(code)
    if (cachedBitmap === undefined) {
      this.#instance.analyze(pointer, code.length, bitmap)
      bitmaps.set(code, this.#instance.copy(bitmap, bitmapLength))
    } else {
      this.#instance.write(bitmap, cachedBitmap)
    }
  }
}
