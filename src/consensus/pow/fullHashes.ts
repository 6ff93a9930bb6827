/**
 * Ethash with a complete dataset: WebAssembly computes seeds and results, this module mixes pages into them. The dataset
 * is outside the memory of the instance, which cannot exceed 4 GiB.
 * @module
 */
import { INPUT, LANE_NONCES, MIXES, SEEDS, TARGET } from './assembly/layout.ts'
import { ACCESSES, fnv, type Hashimoto, MIX_WORDS } from './ethash.ts'
import { type EpochHashes, type FoundNonce, nonceBytes } from './lightCache.ts'
import { type EthashExports, outputOf } from './wasmCache.ts'

const SEED_WORDS = 16

/**
 * @param module of ethash
 * @param dataset all pages
 */
export function fullHashes(module: WebAssembly.Module, dataset: Int32Array): EpochHashes {
  return new FullHashes(new WebAssembly.Instance(module).exports as unknown as EthashExports, dataset)
}

class FullHashes implements EpochHashes {
  readonly #wasm: EthashExports
  readonly #memory: Uint8Array
  readonly #seeds: Int32Array
  readonly #mixes: Int32Array
  readonly #dataset: Int32Array
  /** Position of the next page of each nonce, in words. */
  readonly #pages: Float64Array = new Float64Array(LANE_NONCES)

  constructor(wasm: EthashExports, dataset: Int32Array) {
    const { buffer } = wasm.memory
    this.#wasm = wasm
    this.#memory = new Uint8Array(buffer)
    this.#seeds = new Int32Array(buffer, SEEDS, LANE_NONCES * SEED_WORDS)
    this.#mixes = new Int32Array(buffer, MIXES, LANE_NONCES * MIX_WORDS)
    this.#dataset = dataset
  }

  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto {
    this.#memory.set(powHash, INPUT)
    this.#mixFrom(new DataView(nonce.buffer, nonce.byteOffset).getBigUint64(0))
    this.#wasm.endNonce(0)
    return outputOf(this.#memory)
  }

  search(powHash: Uint8Array, target: Uint8Array, first: bigint, count: number): FoundNonce | undefined {
    this.#memory.set(powHash, INPUT)
    this.#memory.set(target, TARGET)
    for (let i = 0; i < count; i += LANE_NONCES) {
      this.#mixFrom(BigInt.asUintN(64, first + BigInt(i)))
      for (let lane = 0; lane < LANE_NONCES; lane++) {
        if (this.#wasm.endNonce(lane) === 0) continue
        return { ...outputOf(this.#memory), nonce: nonceBytes(first + BigInt(i + lane)) }
      }
    }
    return undefined
  }

  /** Completes the mixes of LANE_NONCES nonces. */
  #mixFrom(first: bigint): void {
    this.#wasm.startNonces(first)
    const dataset = this.#dataset
    const mixes = this.#mixes
    const seeds = this.#seeds
    const pages = this.#pages
    const count = dataset.length / MIX_WORDS
    for (let access = 0; access < ACCESSES; access++) {
      for (let lane = 0; lane < LANE_NONCES; lane++) {
        const word = mixes[lane * MIX_WORDS + (access % MIX_WORDS)] as number
        const page = (fnv(access ^ (seeds[lane * SEED_WORDS] as number), word) >>> 0) % count
        pages[lane] = page * MIX_WORDS
      }
      for (let lane = 0; lane < LANE_NONCES; lane++) {
        const from = pages[lane] as number
        const to = lane * MIX_WORDS
        for (let k = 0; k < MIX_WORDS; k++) mixes[to + k] = fnv(mixes[to + k] as number, dataset[from + k] as number)
      }
    }
  }
}
