/**
 * Ethash, the light algorithm: every dataset item is computed from the cache on demand.
 *
 * Most of the time is spent waiting for rows of the cache. Items that do not depend on each other are therefore computed
 * together, one parent of each in turn: the two of a page, and those of several nonces in a search.
 * @see Yellow Paper, appendix J
 */
import { LANES, permute } from '../../../evm/native/assembly/keccak'
import { CACHE, INPUT, ITEMS, LANE_NONCES, MIXES, NUMBERS, OUTPUT, SEEDS, TARGET } from './layout'

const FNV_PRIME: u32 = 0x01000193
const ROW: usize = 64
const PAGE: usize = 128
const ACCESSES: u32 = 64
const PARENTS: u32 = 256
/** Ends the padding of Keccak. */
const LAST_BIT: u64 = 1 << 63
const TOGETHER: u32 = LANE_NONCES

let rows: u32 = 0
/** Rounded up 2^64 / rows: remainders by multiplication (Lemire, Kaser and Kurz, Faster remainder by direct computation). */
let rowsInverse: u64 = 0
/** Number of pages, pairs of items, of the dataset. */
let pages: u32 = 0

/** The memory must hold the cache already. */
export function configure(cacheRows: u32, datasetPages: u32): void {
  rows = cacheRows
  rowsInverse = u64.MAX_VALUE / cacheRows + 1
  pages = datasetPages
}

/** Computes the rows of the cache from `from` (at least 1) to `to`, exclusive, before any round. Row 0 is the hashed seed. */
export function fillRows(from: u32, to: u32): void {
  for (let at = row(from); at < row(to); at += ROW) keccak512(at - ROW, at)
}

/** Hashes the 32 bytes at INPUT into the first row. */
export function fillFirstRow(): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(LANES + i, load<u64>(INPUT + i))
  store<u64>(LANES, 1, 32)
  for (let i: usize = 40; i < 64; i += 8) store<u64>(LANES + i, 0)
  store<u64>(LANES, LAST_BIT, 64)
  finish512(CACHE)
}

/** One of the three rounds over the rows of the cache. */
export function mixRows(from: u32, to: u32): void {
  for (let i = from; i < to; i++) {
    const before = row(i === 0 ? rows - 1 : i - 1)
    const other = row(load<u32>(row(i)) % rows)
    for (let k: usize = 0; k < ROW; k += 16)
      v128.store(ITEMS + k, v128.xor(v128.load(before + k), v128.load(other + k)))
    keccak512(ITEMS, row(i))
  }
}

/** Hashes one nonce: writes the mix hash and the result to OUTPUT. */
export function hash(nonce: u64): void {
  hashNonces(nonce, 1)
  finishNonce(0)
}

/**
 * Hashes consecutive nonces.
 * @param count a multiple of LANE_NONCES
 * @returns the position of the first valid nonce, whose mix hash and result are at OUTPUT; `count`: none is valid
 */
export function search(first: u64, count: u32): u32 {
  for (let i: u32 = 0; i < count; i += TOGETHER) {
    hashNonces(first + i, TOGETHER)
    for (let k: u32 = 0; k < TOGETHER; k++) {
      finishNonce(k)
      if (isValid()) return i + k
    }
  }
  return count
}

/** Starts consecutive nonces: writes their seeds to SEEDS and their mixes to MIXES, for a host that holds the dataset. */
export function startNonces(first: u64): void {
  for (let k: u32 = 0; k < TOGETHER; k++) startNonce(k, first + k)
}

/**
 * Ends a nonce whose mix is complete: writes its mix hash and result to OUTPUT.
 * @returns whether the result is valid
 */
export function endNonce(k: u32): bool {
  finishNonce(k)
  return isValid()
}

/** Writes LANE_NONCES consecutive pages of the dataset to ITEMS. */
export function fillPages(first: u32): void {
  for (let item: u32 = 0; item < 2 * TOGETHER; item++) startItem(item, 2 * first + item)
  finishItems(2 * TOGETHER)
}

function isValid(): bool {
  for (let i: usize = 0; i < 32; i += 8) {
    const result = bswap<u64>(load<u64>(OUTPUT + i, 32))
    const target = bswap<u64>(load<u64>(TARGET + i))
    if (result !== target) return result < target
  }
  return true
}

/** Computes seeds and mixes of consecutive nonces. */
function hashNonces(first: u64, count: u32): void {
  for (let k: u32 = 0; k < count; k++) startNonce(k, first + k)
  const items = count * 2
  for (let access: u32 = 0; access < ACCESSES; access++) {
    for (let k: u32 = 0; k < count; k++) {
      const word = load<u32>(mix(k) + ((access & 31) << 2))
      const page = fnv(access ^ load<u32>(seed(k)), word) % pages
      startItem(2 * k, 2 * page)
      startItem(2 * k + 1, 2 * page + 1)
    }
    finishItems(items)
    for (let k: u32 = 0; k < count; k++) for (let i: usize = 0; i < PAGE; i += 16) fnvTo(mix(k) + i, item(2 * k) + i)
  }
}

/** Completes items that were started. */
function finishItems(items: u32): void {
  for (let parent: u32 = 0; parent < PARENTS; parent++) {
    const word = (parent & 15) << 2
    for (let item: u32 = 0; item < items; item += 2) {
      addParent(item, parent, word)
      addParent(item + 1, parent, word)
    }
  }
  for (let k: u32 = 0; k < items; k++) keccak512(item(k), item(k))
}

function startNonce(k: u32, nonce: u64): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(LANES + i, load<u64>(INPUT + i))
  store<u64>(LANES, nonce, 32)
  store<u64>(LANES, 1, 40)
  store<u64>(LANES, 0, 48)
  store<u64>(LANES, 0, 56)
  store<u64>(LANES, LAST_BIT, 64)
  finish512(seed(k))
  for (let i: usize = 0; i < ROW; i += 16) {
    const part = v128.load(seed(k) + i)
    v128.store(mix(k) + i, part)
    v128.store(mix(k) + i, part, ROW)
  }
}

function startItem(k: u32, number: u32): void {
  const at = item(k)
  const first = row(remainder(number))
  store<u32>(NUMBERS + (k << 2), number)
  for (let i: usize = 0; i < ROW; i += 16) v128.store(at + i, v128.load(first + i))
  store<u32>(at, load<u32>(at) ^ number)
  keccak512(at, at)
}

function addParent(k: u32, parent: u32, word: u32): void {
  const at = item(k)
  const number = load<u32>(NUMBERS + (k << 2))
  const from = row(remainder(fnv(number ^ parent, load<u32>(at + word))))
  fnvTo(at, from)
  fnvTo(at + 16, from + 16)
  fnvTo(at + 32, from + 32)
  fnvTo(at + 48, from + 48)
}

/** Compresses the mix and hashes it with the seed, to OUTPUT. */
function finishNonce(k: u32): void {
  for (let i: usize = 0; i < 8; i++) {
    const at = mix(k) + (i << 4)
    const word = fnv(fnv(fnv(load<u32>(at), load<u32>(at, 4)), load<u32>(at, 8)), load<u32>(at, 12))
    store<u32>(OUTPUT + (i << 2), word)
  }
  for (let i: usize = 0; i < ROW; i += 8) store<u64>(LANES + i, load<u64>(seed(k) + i))
  for (let i: usize = 0; i < 32; i += 8) store<u64>(LANES + i, load<u64>(OUTPUT + i), 64)
  store<u64>(LANES, 1, 96)
  for (let i: usize = 104; i < 200; i += 8) store<u64>(LANES + i, 0)
  store<u64>(LANES, LAST_BIT, 128)
  hashLanes()
  for (let i: usize = 0; i < 32; i += 8) store<u64>(OUTPUT + i, load<u64>(LANES + i), 32)
}

/** Keccak-512 of 64 bytes, with the original padding. The areas may overlap. */
function keccak512(data: usize, out: usize): void {
  for (let i: usize = 0; i < ROW; i += 16) v128.store(LANES + i, v128.load(data + i))
  store<u64>(LANES, LAST_BIT | 1, 64)
  finish512(out)
}

/** Hashes the first nine lanes, which are padded. */
function finish512(out: usize): void {
  for (let i: usize = 72; i < 200; i += 8) store<u64>(LANES + i, 0)
  hashLanes()
  for (let i: usize = 0; i < ROW; i += 16) v128.store(out + i, v128.load(LANES + i))
}

/** The permutation without its complemented lanes. */
function hashLanes(): void {
  complement()
  permute()
  complement()
}

function complement(): void {
  store<u64>(LANES, ~load<u64>(LANES, 8), 8)
  store<u64>(LANES, ~load<u64>(LANES, 16), 16)
  store<u64>(LANES, ~load<u64>(LANES, 64), 64)
  store<u64>(LANES, ~load<u64>(LANES, 96), 96)
  store<u64>(LANES, ~load<u64>(LANES, 136), 136)
  store<u64>(LANES, ~load<u64>(LANES, 160), 160)
}

function fnv(a: u32, b: u32): u32 {
  return (a * FNV_PRIME) ^ b
}

/** Replaces the four words at `at` by their FNV with those at `other`. */
function fnvTo(at: usize, other: usize): void {
  v128.store(at, v128.xor(i32x4.mul(v128.load(at), i32x4.splat(FNV_PRIME)), v128.load(other)))
}

/** `value` modulo `rows` */
function remainder(value: u32): u32 {
  const fraction = rowsInverse * <u64>value
  return <u32>(((fraction >> 32) * rows + (((fraction & 0xffffffff) * rows) >> 32)) >> 32)
}

function row(number: u32): usize {
  return CACHE + ((<usize>number) << 6)
}

function seed(k: u32): usize {
  return SEEDS + ((<usize>k) << 6)
}

function mix(k: u32): usize {
  return MIXES + ((<usize>k) << 7)
}

function item(k: u32): usize {
  return ITEMS + ((<usize>k) << 6)
}
