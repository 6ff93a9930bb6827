import type { RunningHash } from '../../src/base/ports/frameCipher.ts'
import { equalBytes } from '../../src/base/primitives/bytes.ts'
import { portableKeccak256 } from '../../src/base/primitives/keccak.ts'
import { loadCreateKeccak } from './hashWasm.ts'

/** The used part of a hash-wasm hasher. */
interface WasmHasher {
  init(): unknown
  update(data: Uint8Array): unknown
  digest(outputType: 'binary'): Uint8Array
  save(): Uint8Array
  load(state: Uint8Array): unknown
}

/**
 * Keccak-256 of streams in WebAssembly, ten times as fast as in JavaScript. One hasher serves all streams: the state of a
 * stream is loaded when another one was in use.
 * @returns a function that begins a stream
 * @throws {Error} when the package is missing, or gives a wrong digest
 */
export async function loadRunningKeccak256(): Promise<() => RunningHash> {
  const createKeccak = await loadCreateKeccak()
  const hasher = (await createKeccak(256)) as unknown as WasmHasher
  hasher.init()
  const initial = hasher.save()
  let loaded: WasmStream | undefined

  class WasmStream implements RunningHash {
    #state: Uint8Array = initial

    update(bytes: Uint8Array): void {
      this.#load()
      hasher.update(bytes)
    }

    digest(): Uint8Array {
      this.#load()
      this.#state = hasher.save()
      loaded = undefined
      return hasher.digest('binary')
    }

    #load(): void {
      if (loaded === this) return
      if (loaded !== undefined) loaded.#state = hasher.save()
      hasher.load(this.#state)
      loaded = this
    }
  }

  assertCorrect(() => new WasmStream())
  return () => new WasmStream()
}

/** Two streams alternate, because they share the hasher. */
function assertCorrect(begin: () => RunningHash): void {
  const data = Uint8Array.from({ length: 500 }, (_, i) => i)
  const [all, other] = [begin(), begin()]
  for (let at = 0; at < data.length; at += 100) {
    all.update(data.subarray(at, at + 100))
    other.update(data.subarray(at, at + 9))
    if (!equalBytes(all.digest(), portableKeccak256(data.subarray(0, at + 100)))) {
      throw new Error('hash-wasm gives a wrong digest')
    }
  }
}
