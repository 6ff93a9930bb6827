import { CODE_PADDING } from './assembly/layout.ts'
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

/** The code used by one message; each byte string is copied into the instance once. */
export class MessageCodes {
  readonly #instance: NativeInstance
  readonly #placed = new Map<Uint8Array, PlacedCode>()

  constructor(instance: NativeInstance) {
    this.#instance = instance
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  place(code: Uint8Array): PlacedCode {
    const placement = this.#placed.get(code)
    if (placement !== undefined) return placement
    const { length } = code
    const bitmapLength = (length + 7) >> 3
    const pointer = this.#instance.allocate(length + CODE_PADDING + bitmapLength)
    const bitmap = pointer + length + CODE_PADDING
    this.#instance.write(pointer, code)
    this.#instance.bytes.fill(0, pointer + length, bitmap)
    this.#markJumps(code, pointer, bitmap, bitmapLength)
    const placed = { pointer, length, bitmap }
    this.#placed.set(code, placed)
    return placed
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
