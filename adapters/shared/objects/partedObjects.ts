/**
 * Objects cut into parts, for services with small values, without ranges and without safe creation.
 * @module
 */
import { MAX_OBJECT_BYTES, OBJECT_PARALLEL_PARTS } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { unavailable } from './errors.ts'
import { isObjectName, requireObjectName, requireRange } from './names.ts'

/** Values of a service by their keys. Its methods throw as those of a store do. */
export interface PartValues {
  readonly label: string
  get(key: string): Promise<Uint8Array | undefined>
  set(key: string, value: Uint8Array): Promise<void>
  delete(key: string): Promise<void>
  /** In ascending order. */
  keys(prefix: string): AsyncIterable<string>
  close(): Promise<void>
}

interface Part {
  /** Bytes of the whole object. */
  readonly total: number
  readonly bytes: Uint8Array
}

/** The length of the object, then that of its parts: big-endian, 32 bits each. */
const HEADER_BYTES = 8
/** No name of an object has this character. */
const SEPARATOR = '_'

/**
 * The first part has the object's name as its key, the others a number behind it. The first is written last and deleted
 * last, so an object exists as long as its first part does.
 */
export class PartedObjects implements ObjectStore {
  readonly label: string
  readonly createsOnce = false
  readonly #values: PartValues
  readonly #partBytes: number

  /** @param partBytes of each part but the last; the same for all users of the store */
  constructor(values: PartValues, partBytes: number) {
    this.label = values.label
    this.#values = values
    this.#partBytes = partBytes
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireObjectName(name)
    requireRange(offset, length)
    const first = Math.floor(offset / this.#partBytes)
    const begun = await this.#firstPartOf(name, first, offset, length)
    if (begun === undefined) return undefined
    const { total } = begun
    const end = Math.min(total, offset + (length ?? MAX_OBJECT_BYTES))
    if (end <= offset) return EMPTY_BYTES
    if ((length === undefined && end < total) || end - offset > MAX_OBJECT_BYTES) {
      throw unavailable(this.label, name, `the object has more than ${MAX_OBJECT_BYTES} bytes`)
    }
    const bytes = new Uint8Array(end - offset)
    const last = Math.floor((end - 1) / this.#partBytes)
    await inBatches(first, last, async (index) => {
      const part = begun.parts[index - first] ?? (await this.#requirePart(name, index, total))
      const start = index * this.#partBytes
      const from = Math.max(0, offset - start)
      bytes.set(part.bytes.subarray(from, end - start), Math.max(0, start - offset))
    })
    return bytes
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    requireObjectName(name)
    if ((await this.#values.get(name)) !== undefined) return 'exists'
    await this.#write(name, bytes)
    return 'created'
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    requireObjectName(name)
    await this.#write(name, bytes)
  }

  async delete(name: string): Promise<void> {
    requireObjectName(name)
    const first = await this.#part(name, 0)
    if (first === undefined) return
    await inBatches(1, this.#lastPart(first.total), (index) => this.#values.delete(keyOf(name, index)))
    await this.#values.delete(name)
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    for await (const key of this.#values.keys(prefix)) {
      if (key > after && isObjectName(key)) yield key
    }
  }

  close(): Promise<void> {
    return this.#values.close()
  }

  /** Also reads the next part at once, if the range extends into it. */
  async #firstPartOf(
    name: string,
    first: number,
    offset: number,
    length: number | undefined,
  ): Promise<{ readonly total: number; readonly parts: readonly (Part | undefined)[] } | undefined> {
    const isShort = length !== undefined && offset + length <= (first + 2) * this.#partBytes
    const hasNext = isShort && offset + length > (first + 1) * this.#partBytes
    const indexes = hasNext ? [first, first + 1] : [first]
    const parts = await Promise.all(indexes.map((index) => this.#part(name, index)))
    const [found] = parts
    if (found !== undefined) return { total: found.total, parts }
    if (first === 0) return undefined
    const beginning = await this.#part(name, 0)
    if (beginning === undefined) return undefined
    if (beginning.total > first * this.#partBytes) throw this.#missing(name, first)
    return { total: beginning.total, parts: [] }
  }

  async #requirePart(name: string, index: number, total: number): Promise<Part> {
    const part = await this.#part(name, index)
    if (part?.total !== total) throw this.#missing(name, index)
    return part
  }

  /** A service may show the parts of an object at different times. */
  #missing(name: string, index: number): Error {
    return unavailable(this.label, name, `part ${index} is missing`, { isTransient: true })
  }

  async #part(name: string, index: number): Promise<Part | undefined> {
    const value = await this.#values.get(keyOf(name, index))
    if (value === undefined) return undefined
    if (value.length < HEADER_BYTES) throw this.#damaged(name, index)
    const header = new DataView(value.buffer, value.byteOffset, HEADER_BYTES)
    const total = header.getUint32(0)
    const partBytes = header.getUint32(4)
    if (partBytes !== this.#partBytes) {
      throw unavailable(this.label, name, `the object is cut into parts of ${partBytes} bytes, not ${this.#partBytes}`)
    }
    const bytes = value.subarray(HEADER_BYTES)
    const expected = Math.min(partBytes, total - index * partBytes)
    if (bytes.length !== expected) throw this.#damaged(name, index)
    return { total, bytes }
  }

  #damaged(name: string, index: number): Error {
    return unavailable(this.label, name, `part ${index} has another length than it should`)
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > MAX_OBJECT_BYTES) throw new RangeError(`an object has at most ${MAX_OBJECT_BYTES} bytes`)
    const write = (index: number): Promise<void> => this.#values.set(keyOf(name, index), this.#encoded(bytes, index))
    await inBatches(1, this.#lastPart(bytes.length), write)
    await write(0)
  }

  #encoded(bytes: Uint8Array, index: number): Uint8Array {
    const content = bytes.subarray(index * this.#partBytes, (index + 1) * this.#partBytes)
    const value = new Uint8Array(HEADER_BYTES + content.length)
    const header = new DataView(value.buffer)
    header.setUint32(0, bytes.length)
    header.setUint32(4, this.#partBytes)
    value.set(content, HEADER_BYTES)
    return value
  }

  #lastPart(total: number): number {
    return Math.max(0, Math.ceil(total / this.#partBytes) - 1)
  }
}

function keyOf(name: string, index: number): string {
  return index === 0 ? name : `${name}${SEPARATOR}${index}`
}

/** Works on the numbers from first to last, a few at a time. */
async function inBatches(first: number, last: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let at = first; at <= last; at += OBJECT_PARALLEL_PARTS) {
    const count = Math.min(OBJECT_PARALLEL_PARTS, last - at + 1)
    await Promise.all(Array.from({ length: count }, (_, i) => work(at + i)))
  }
}
