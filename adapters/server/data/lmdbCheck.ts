/**
 * Checks an LMDB file before LMDB maps it: LMDB trusts its pages, so a damaged or truncated file would kill the process
 * with a signal. The check covers the meta pages and a limited number of tree pages, starting at the roots. It covers
 * all tree pages when the file is shorter than the last page number implies, because LMDB never writes freed pages at
 * the end.
 * @see lmdb's mdb.c: MDB_page, MDB_meta, MDB_db, MDB_node
 * @module
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const META_PAGES = 2
const HEADER_BYTES = 24
const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
const MIN_PAGE_BYTES = 512
const MAX_PAGE_BYTES = 65_536
const MAX_DEPTH = 32
/** About a millisecond. */
const SAMPLE_PAGES = 256
/** Page number that denotes an empty tree. */
const NO_PAGE = 2n ** 64n - 1n

const PAGE_FLAGS = 18
const PAGE_LOWER = 20
const PAGE_UPPER = 22
const META_BYTES = HEADER_BYTES + 136
const FLAG_BRANCH = 0x01
const FLAG_LEAF = 0x02
const FLAG_OVERFLOW = 0x04
const FLAG_META = 0x08
const NODE_BYTES = 8
const NODE_BIG_DATA = 0x01

interface Tree {
  readonly depth: number
  readonly root: bigint
}

interface Meta {
  readonly pageBytes: number
  readonly trees: readonly Tree[]
  readonly lastPage: bigint
  readonly transaction: bigint
}

class Damage extends Error {}

/**
 * @param samplePages number of pages checked in a file of full length
 * @returns the damage found in the file, or undefined. LMDB has yet to initialize an empty file.
 */
export function damageOf(file: string, samplePages: number = SAMPLE_PAGES): string | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size > 0) checkFile(descriptor, size, samplePages)
    return undefined
  } catch (error) {
    if (error instanceof Damage) return error.message
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function checkFile(descriptor: number, size: number, samplePages: number): void {
  const first = readMeta(descriptor, 0, size)
  const second = readMeta(descriptor, first.pageBytes, size)
  if (second.pageBytes !== first.pageBytes) throw new Damage('its meta pages differ in the page size')
  const newest = second.transaction > first.transaction ? second : first
  const pages = BigInt(Math.floor(size / newest.pageBytes))
  const isShort = newest.lastPage >= pages
  new TreeCheck(descriptor, newest, pages, isShort ? Number.POSITIVE_INFINITY : samplePages).run()
}

function readMeta(descriptor: number, offset: number, size: number): Meta {
  const name = offset === 0 ? 'first' : 'second'
  if (size < offset + META_BYTES) throw new Damage(`it ends before its ${name} meta page`)
  const view = readView(descriptor, offset, META_BYTES)
  const isMeta = (view.getUint16(PAGE_FLAGS, true) & FLAG_META) !== 0
  const magic = view.getUint32(HEADER_BYTES, true)
  const version = view.getUint32(HEADER_BYTES + 4, true) & 0xffff
  if (!isMeta || magic !== MAGIC || version !== DATA_VERSION) throw new Damage(`its ${name} meta page is invalid`)
  const pageBytes = view.getUint32(HEADER_BYTES + 24, true)
  if (pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new Damage(`its ${name} meta page has a page size of ${pageBytes} bytes`)
  }
  return {
    pageBytes,
    trees: [readTree(view, HEADER_BYTES + 24), readTree(view, HEADER_BYTES + 72)],
    lastPage: view.getBigUint64(HEADER_BYTES + 120, true),
    transaction: view.getBigUint64(HEADER_BYTES + 128, true),
  }
}

function readTree(view: DataView, offset: number): Tree {
  return { depth: view.getUint16(offset + 6, true), root: view.getBigUint64(offset + 40, true) }
}

class TreeCheck {
  readonly #descriptor: number
  readonly #meta: Meta
  readonly #filePages: bigint
  #left: number

  constructor(descriptor: number, meta: Meta, filePages: bigint, most: number) {
    this.#descriptor = descriptor
    this.#meta = meta
    this.#filePages = filePages
    this.#left = most
  }

  run(): void {
    const { trees, lastPage, transaction } = this.#meta
    if (transaction > 0n && lastPage < BigInt(META_PAGES)) throw new Damage('its last page number is invalid')
    for (const { root, depth } of trees) {
      if ((root === NO_PAGE) !== (depth === 0) || depth > MAX_DEPTH) throw new Damage('a tree has an invalid depth')
    }
    // Level by level, so that the pages near the roots are always checked.
    let level = trees.filter(({ root }) => root !== NO_PAGE).map(({ root, depth }) => ({ page: root, depth }))
    while (level.length > 0 && this.#left > 0) {
      const next: typeof level = []
      for (const { page, depth } of level) {
        if (this.#left-- <= 0) break
        for (const child of this.#children(page, depth)) next.push({ page: child, depth: depth - 1 })
      }
      level = next
    }
  }

  /** Pages below a branch page. */
  #children(page: bigint, depth: number): bigint[] {
    const view = this.#page(page)
    const isLeaf = depth === 1
    const kind = view.getUint16(PAGE_FLAGS, true) & (FLAG_BRANCH | FLAG_LEAF | FLAG_OVERFLOW | FLAG_META)
    if (kind !== (isLeaf ? FLAG_LEAF : FLAG_BRANCH)) throw this.#damaged(page)
    const lower = view.getUint16(PAGE_LOWER, true)
    const upper = view.getUint16(PAGE_UPPER, true)
    const count = lower / 2
    const first = HEADER_BYTES + lower
    if (lower % 2 !== 0 || upper < lower || HEADER_BYTES + upper > view.byteLength) throw this.#damaged(page)
    if (count < (isLeaf ? 1 : 2)) throw this.#damaged(page)
    const children: bigint[] = []
    for (let i = 0; i < count; i++) {
      const node = HEADER_BYTES + view.getUint16(HEADER_BYTES + 2 * i, true)
      if (node < first || node + NODE_BYTES > view.byteLength) throw this.#damaged(page)
      const low = view.getUint16(node, true)
      const high = view.getUint16(node + 2, true)
      const flags = view.getUint16(node + 4, true)
      const data = node + NODE_BYTES + view.getUint16(node + 6, true)
      if (data > view.byteLength) throw this.#damaged(page)
      if (!isLeaf) children.push(BigInt(low + high * 65_536) + (BigInt(flags) << 32n))
      else if ((flags & NODE_BIG_DATA) === 0) {
        if (data + low + high * 65_536 > view.byteLength) throw this.#damaged(page)
      } else {
        if (data + 8 > view.byteLength) throw this.#damaged(page)
        this.#checkOverflow(view.getBigUint64(data, true), low + high * 65_536)
      }
    }
    return children
  }

  #checkOverflow(page: bigint, bytes: number): void {
    const pages = BigInt(Math.ceil((bytes + HEADER_BYTES) / this.#meta.pageBytes))
    if (page + pages > this.#filePages) throw this.#missing()
  }

  #page(page: bigint): DataView {
    if (page < BigInt(META_PAGES) || page > this.#meta.lastPage) throw new Damage(`page ${page} is not in the database`)
    if (page >= this.#filePages) throw this.#missing()
    const { pageBytes } = this.#meta
    const view = readView(this.#descriptor, Number(page) * pageBytes, pageBytes)
    if (view.getBigUint64(0, true) !== page) throw this.#damaged(page)
    return view
  }

  #damaged(page: bigint): Damage {
    return new Damage(`page ${page} is invalid`)
  }

  #missing(): Damage {
    return new Damage(`it is truncated: it has ${this.#filePages} of ${this.#meta.lastPage + 1n} pages`)
  }
}

function readView(descriptor: number, offset: number, length: number): DataView {
  const bytes = new Uint8Array(length)
  const count = readSync(descriptor, bytes, 0, length, offset)
  if (count < length) throw new Damage('it is truncated')
  return new DataView(bytes.buffer)
}
