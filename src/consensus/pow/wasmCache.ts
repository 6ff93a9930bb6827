/**
 * The light algorithm in WebAssembly: the memory of one instance holds the cache of one epoch.
 * @module
 */
import { CACHE, INPUT, ITEMS, LANE_NONCES, OUTPUT, TARGET } from './assembly/layout.ts'
import { type Hashimoto, MIX_BYTES, MIX_WORDS } from './ethash.ts'
import { type CacheSizes, type FoundNonce, type LightCache, nonceBytes } from './lightCache.ts'
import { WASM_BASE64 } from './wasmBase64.ts'

/** The exports of assembly/index.ts. */
export interface EthashExports {
  readonly memory: WebAssembly.Memory
  configure(cacheRows: number, datasetPages: number): void
  fillFirstRow(): void
  fillRows(from: number, to: number): void
  mixRows(from: number, to: number): void
  hash(nonce: bigint): void
  search(first: bigint, count: number): number
  startNonces(first: bigint): void
  /** @returns 1: the result is valid */
  endNonce(lane: number): number
  fillPages(first: number): void
}

const MEMORY_PAGE_BYTES = 65_536
const ROW_BYTES = 64
const CACHE_ROUNDS = 3
const HASH_BYTES = 32
/** Words of the pages that are computed together. */
const GROUP_WORDS = LANE_NONCES * MIX_WORDS
/** Rows between two progress reports: a few milliseconds of work. */
const ROWS_PER_STEP = 4096

/**
 * Compiles the module.
 * @returns undefined when the host forbids it, or lacks SIMD
 */
export function compileHashimoto(): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/**
 * Computes a cache step by step, so that the caller can yield in between.
 * @param seed 32 bytes
 * @yields the completed part, 0 to 1
 * @throws {RangeError} when the host refuses the memory
 */
export function* wasmCache(
  module: WebAssembly.Module,
  { cacheBytes, datasetBytes }: CacheSizes,
  seed: Uint8Array,
): Generator<number, LightCache> {
  const wasm = new WebAssembly.Instance(module).exports as unknown as EthashExports
  wasm.memory.grow(
    Math.ceil((CACHE + cacheBytes) / MEMORY_PAGE_BYTES) - wasm.memory.buffer.byteLength / MEMORY_PAGE_BYTES,
  )
  const rows = cacheBytes / ROW_BYTES
  wasm.configure(rows, Math.floor(datasetBytes / MIX_BYTES))
  const cache = new WasmCache(wasm)
  new Uint8Array(wasm.memory.buffer).set(seed, INPUT)
  wasm.fillFirstRow()
  for (let round = 0; round <= CACHE_ROUNDS; round++) {
    for (let from = 0; from < rows; from += ROWS_PER_STEP) {
      const to = Math.min(from + ROWS_PER_STEP, rows)
      if (round === 0) wasm.fillRows(Math.max(from, 1), to)
      else wasm.mixRows(from, to)
      yield (round * rows + to) / (rows * (CACHE_ROUNDS + 1))
    }
  }
  return cache
}

class WasmCache implements LightCache {
  readonly #wasm: EthashExports
  readonly #memory: Uint8Array

  constructor(wasm: EthashExports) {
    this.#wasm = wasm
    this.#memory = new Uint8Array(wasm.memory.buffer)
  }

  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    this.#memory.set(powHash, INPUT)
    this.#wasm.hash(new DataView(nonce.buffer, nonce.byteOffset).getBigUint64(0))
    return outputOf(this.#memory)
  }

  search(powHash: Uint8Array, target: Uint8Array, first: bigint, count: number): FoundNonce | undefined {
    this.#memory.set(powHash, INPUT)
    this.#memory.set(target, TARGET)
    const at = this.#wasm.search(first, count)
    return at === count ? undefined : { ...outputOf(this.#memory), nonce: nonceBytes(first + BigInt(at)) }
  }

  writePages(first: number, to: Int32Array): void {
    const group = new Int32Array(this.#memory.buffer, ITEMS, GROUP_WORDS)
    for (let at = 0; at < to.length; at += GROUP_WORDS) {
      this.#wasm.fillPages(first + at / MIX_WORDS)
      to.set(at + GROUP_WORDS <= to.length ? group : group.subarray(0, to.length - at), at)
    }
  }
}

/** Mix hash and result that the module has written. */
export function outputOf(memory: Uint8Array): Hashimoto {
  const result = OUTPUT + HASH_BYTES
  return { mixHash: memory.slice(OUTPUT, result), result: memory.slice(result, result + HASH_BYTES) }
}
