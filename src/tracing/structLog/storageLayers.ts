import { bytesToHexUnprefixed } from '../../primitives/bytes.ts'
import { StorageText } from './storageText.ts'

interface Layer {
  /** Whose storage the frame works on. */
  readonly address: string
  /** What was written since the frame began, by account; made with the first write. */
  written: Map<string, StorageText> | undefined
}

/**
 * Slots written, frame by frame: a frame sees what it wrote itself and what the calls that succeeded inside it wrote, and
 * begins with nothing.
 */
export class StorageLayers {
  readonly #layers: Layer[] = []
  #current: StorageText | undefined

  /** Of the running frame's account; undefined: nothing was written. */
  get current(): StorageText | undefined {
    return this.#current
  }

  /** @param address whose storage the frame works on, 20 bytes */
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

  /** @param digits as StorageText takes them */
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

/** The smaller table goes into the larger one, so that deep recursion costs no more than its writes. */
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
