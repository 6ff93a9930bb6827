import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { StorageText } from './storageText.ts'

interface Layer {
  /** The account whose storage the frame accesses. */
  readonly address: string
  /** Slots written since the frame began, by account; created by the first write. */
  written: Map<string, StorageText> | undefined
}

/**
 * Written slots by frame: a frame sees its own writes and those of successful calls inside it, and begins with none.
 */
export class StorageLayers {
  readonly #layers: Layer[] = []
  #current: StorageText | undefined

  /** Slots of the running frame's account; undefined when none were written. */
  get current(): StorageText | undefined {
    return this.#current
  }

  /** @param address account whose storage the frame accesses, 20 bytes */
  enter(address: Uint8Array): void {
    this.#layers.push({ address: bytesToHexUnprefixed(address), written: undefined })
    this.#current = undefined
  }

  exit(isSuccess: boolean): void {
    const inner = this.#layers.pop()
    const outer = this.#layers.at(-1)
    if (outer === undefined) return
    if (isSuccess && inner?.written !== undefined) merge(inner.written, outer)
    this.#current = outer.written?.get(outer.address)
  }

  /** @param digits see {@link StorageText.set} */
  set(digits: Uint8Array): void {
    const layer = this.#layers.at(-1)
    if (layer === undefined) return
    if (this.#current === undefined) {
      this.#current = new StorageText('')
      layer.written ??= new Map()
      layer.written.set(layer.address, this.#current)
    }
    this.#current.set(digits)
  }
}

/** Merges the smaller table into the larger one, so that the cost of deep recursion is proportional to its writes. */
function merge(written: Map<string, StorageText>, outer: Layer): void {
  if (outer.written === undefined) {
    outer.written = written
    return
  }
  for (const [address, newer] of written) {
    const older = outer.written.get(address)
    if (older !== undefined && older.size >= newer.size) {
      older.assign(newer)
      continue
    }
    if (older !== undefined) newer.complete(older)
    outer.written.set(address, newer)
  }
}
