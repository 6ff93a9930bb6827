/**
 * Ethash, the light algorithm: every dataset item is computed from the epoch's cache on demand. Words are
 * little-endian, as in memory on every host that JavaScript engines support; they are signed, which engines compute
 * with fastest, and converted to unsigned for remainders.
 * @see Yellow Paper, appendix J; ECIP-1099; docs/reference/pow-ethash.md section 1
 * @module
 */
import type { EpochPosition } from '../../base/ports/ethashDatasets.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { keccak512 } from './keccak512.ts'

const EPOCH_BLOCKS = 30_000
/** ECIP-1099 */
const LONG_EPOCH_BLOCKS = 60_000
const CACHE_FIRST_BYTES = 2 ** 24
const CACHE_GROWTH_BYTES = 2 ** 17
const DATASET_FIRST_BYTES = 2 ** 30
const DATASET_GROWTH_BYTES = 2 ** 23
const CACHE_ROUNDS = 3
const DATASET_PARENTS = 256
export const ACCESSES = 64
const HASH_BYTES = 64
const HASH_WORDS = 16
/** A page of the dataset: two items. */
export const MIX_BYTES = 128
export const MIX_WORDS = 32
const FNV_PRIME = 0x01000193
/** Rows of a cache between two progress reports: a few milliseconds of work. */
const ROWS_PER_STEP = 2048

export interface Hashimoto {
  /** 32 bytes */
  readonly mixHash: Uint8Array
  /** 32 bytes, to compare with the target as a big-endian integer */
  readonly result: Uint8Array
}

export function epochAt(blockNumber: number, isLong: boolean): EpochPosition {
  return { epoch: Math.floor(blockNumber / epochBlocks(isLong)), isLong }
}

/** Number of the first block of an epoch. */
export function firstBlockOf({ epoch, isLong }: EpochPosition): number {
  return epoch * epochBlocks(isLong)
}

function epochBlocks(isLong: boolean): number {
  return isLong ? LONG_EPOCH_BLOCKS : EPOCH_BLOCKS
}

/** Length of an epoch's cache in bytes. */
export function cacheBytes(epoch: number): number {
  return primeMultiple(CACHE_FIRST_BYTES + CACHE_GROWTH_BYTES * epoch - HASH_BYTES, HASH_BYTES)
}

/** Length of an epoch's dataset in bytes. */
export function datasetBytes(epoch: number): number {
  return primeMultiple(DATASET_FIRST_BYTES + DATASET_GROWTH_BYTES * epoch - MIX_BYTES, MIX_BYTES)
}

/**
 * Seed of an epoch's cache; a long epoch has the seed of the first of the two short epochs that it spans.
 * @returns 32 bytes
 */
export function epochSeed({ epoch, isLong }: EpochPosition): Uint8Array {
  let seed: Uint8Array = new Uint8Array(32)
  for (let i = isLong ? 2 * epoch : epoch; i > 0; i--) seed = keccak256(seed)
  return seed
}

/** The largest length up to `bytes` with a prime number of units; decreases by two units at a time. */
function primeMultiple(bytes: number, unit: number): number {
  let length = bytes
  while (!isPrime(length / unit)) length -= 2 * unit
  return length
}

function isPrime(candidate: number): boolean {
  if (candidate < 4) return candidate > 1
  if (candidate % 2 === 0) return false
  for (let divisor = 3; divisor * divisor <= candidate; divisor += 2) if (candidate % divisor === 0) return false
  return true
}

/**
 * Computes a cache step by step, so that the caller can yield in between.
 * @param bytes length of the cache
 * @param seed 32 bytes
 * @yields the completed part, 0 to 1
 * @returns the cache as words
 */
export function* makeCache(bytes: number, seed: Uint8Array): Generator<number, Int32Array> {
  const words = new Int32Array(bytes / 4)
  const rows = bytes / HASH_BYTES
  const all = new Uint8Array(words.buffer)
  const work = rows * (CACHE_ROUNDS + 1)
  let row = keccak512(seed)
  all.set(row, 0)
  for (let i = 1; i < rows; i++) {
    row = keccak512(row)
    all.set(row, i * HASH_BYTES)
    if (i % ROWS_PER_STEP === 0) yield i / work
  }
  const mix = new Int32Array(HASH_WORDS)
  const mixBytes = new Uint8Array(mix.buffer)
  for (let round = 0; round < CACHE_ROUNDS; round++) {
    for (let i = 0; i < rows; i++) {
      const before = (i === 0 ? rows - 1 : i - 1) * HASH_WORDS
      const other = (((words[i * HASH_WORDS] as number) >>> 0) % rows) * HASH_WORDS
      for (let k = 0; k < HASH_WORDS; k++) mix[k] = (words[before + k] as number) ^ (words[other + k] as number)
      all.set(keccak512(mixBytes), i * HASH_BYTES)
      if (i % ROWS_PER_STEP === 0) yield (rows * (round + 1) + i) / work
    }
  }
  return words
}

/** The dataset of an epoch in pages of two items. */
export interface Dataset {
  readonly pages: number
  /** Writes a page of 32 words. */
  read(number: number, page: Int32Array): void
}

/**
 * Computes pages on demand.
 * @param cache result of {@link makeCache}
 * @param fullBytes length of the dataset
 */
export function lightDataset(cache: Int32Array, fullBytes: number): Dataset {
  return { pages: Math.floor(fullBytes / MIX_BYTES), read: (number, page) => datasetPage(cache, number, page) }
}

/** Computes all pages once; only for small datasets. */
export function fullDataset({ pages, read }: Dataset): Dataset {
  const words = new Int32Array(pages * MIX_WORDS)
  const page = new Int32Array(MIX_WORDS)
  for (let i = 0; i < pages; i++) {
    read(i, page)
    words.set(page, i * MIX_WORDS)
  }
  return storedDataset(words)
}

/** Reads pages of a complete dataset. */
export function storedDataset(words: Int32Array): Dataset {
  return {
    pages: words.length / MIX_WORDS,
    read(number, to) {
      const from = number * MIX_WORDS
      for (let k = 0; k < MIX_WORDS; k++) to[k] = words[from + k] as number
    },
  }
}

/**
 * @param powHash 32 bytes, see powHash.ts
 * @param nonce 8 bytes, big-endian as in a header
 */
export function hashimoto(dataset: Dataset, powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
  const seedInput = new Uint8Array(40)
  seedInput.set(powHash)
  for (let i = 0; i < 8; i++) seedInput[32 + i] = nonce[7 - i] as number
  const seedBytes = keccak512(seedInput)
  const seed = new Int32Array(seedBytes.buffer, seedBytes.byteOffset, HASH_WORDS)
  const mix = new Int32Array(MIX_WORDS)
  mix.set(seed)
  mix.set(seed, HASH_WORDS)
  const { pages } = dataset
  const page = new Int32Array(MIX_WORDS)
  for (let i = 0; i < ACCESSES; i++) {
    const number = (fnv(i ^ (seed[0] as number), mix[i % MIX_WORDS] as number) >>> 0) % pages
    dataset.read(number, page)
    for (let k = 0; k < MIX_WORDS; k++) mix[k] = fnv(mix[k] as number, page[k] as number)
  }
  const mixHash = compress(mix)
  const final = new Uint8Array(HASH_BYTES + mixHash.length)
  final.set(seedBytes)
  final.set(mixHash, HASH_BYTES)
  return { mixHash, result: keccak256(final) }
}

export function fnv(a: number, b: number): number {
  return Math.imul(a, FNV_PRIME) ^ b
}

/**
 * Writes two adjacent dataset items to `page`. They are computed in parallel: each step waits for memory, so the waits
 * overlap.
 */
function datasetPage(cache: Int32Array, number: number, page: Int32Array): void {
  const rows = cache.length / HASH_WORDS
  const remaining = 2 * number
  const right = remaining + 1
  const bytes = new Uint8Array(page.buffer)
  const firstLeft = (remaining % rows) * HASH_WORDS
  const firstRight = (right % rows) * HASH_WORDS
  for (let k = 0; k < HASH_WORDS; k++) {
    page[k] = cache[firstLeft + k] as number
    page[HASH_WORDS + k] = cache[firstRight + k] as number
  }
  page[0] = (page[0] as number) ^ remaining
  page[HASH_WORDS] = (page[HASH_WORDS] as number) ^ right
  hashHalves(bytes)
  for (let parent = 0; parent < DATASET_PARENTS; parent++) {
    const word = parent % HASH_WORDS
    const rowLeft = ((fnv(remaining ^ parent, page[word] as number) >>> 0) % rows) * HASH_WORDS
    const rowRight = ((fnv(right ^ parent, page[HASH_WORDS + word] as number) >>> 0) % rows) * HASH_WORDS
    for (let k = 0; k < HASH_WORDS; k++) {
      page[k] = fnv(page[k] as number, cache[rowLeft + k] as number)
      page[HASH_WORDS + k] = fnv(page[HASH_WORDS + k] as number, cache[rowRight + k] as number)
    }
  }
  hashHalves(bytes)
}

function hashHalves(bytes: Uint8Array): void {
  bytes.set(keccak512(bytes.subarray(0, HASH_BYTES)), 0)
  bytes.set(keccak512(bytes.subarray(HASH_BYTES)), HASH_BYTES)
}

/** Reduces each four words to one; 32 bytes in all. */
function compress(mix: Int32Array): Uint8Array {
  const words = new Int32Array(MIX_WORDS / 4)
  for (let i = 0; i < words.length; i++) {
    const [a = 0, b = 0, c = 0, d = 0] = mix.subarray(4 * i, 4 * i + 4)
    words[i] = fnv(fnv(fnv(a, b), c), d)
  }
  return new Uint8Array(words.buffer)
}
