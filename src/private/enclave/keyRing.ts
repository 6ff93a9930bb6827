import { MAX_ENCLAVE_SHARED_KEYS } from '../../base/limits/limits.ts'
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { KEY_BYTES, type KeyPair, sharedBoxKey } from './boxes.ts'

/** The key pairs of an enclave. Public keys are named by their Base64. */
export class KeyRing {
  readonly #pairs: ReadonlyMap<string, KeyPair>
  /** Shared keys by the names of both keys; computing one takes about a millisecond. */
  readonly #shared = new LruCache<string, Uint8Array>(MAX_ENCLAVE_SHARED_KEYS)

  /** @param pairs at least one; the first is the default */
  constructor(pairs: readonly KeyPair[]) {
    this.#pairs = new Map(pairs.map((pair) => [toBase64(pair.publicKey), pair]))
  }

  /** The default key is first. */
  get names(): readonly string[] {
    return [...this.#pairs.keys()]
  }

  /** The default public key, 32 bytes. */
  get first(): Uint8Array {
    const [pair] = this.#pairs.values()
    return (pair as KeyPair).publicKey
  }

  /** @param name of a key of this ring */
  publicKey(name: string): Uint8Array {
    return this.#pair(name).publicKey
  }

  has(name: string): boolean {
    return this.#pairs.has(name)
  }

  /**
   * The key of boxes between a key of this ring and another one.
   * @param own name of a key of this ring
   * @throws {NodeError} INVALID_ENCLAVE_KEY
   */
  sharedKey(own: string, other: Uint8Array): Uint8Array {
    const name = `${own} ${toBase64(other)}`
    const sharedKey = this.#shared.get(name)
    if (sharedKey !== undefined) return sharedKey
    const key = sharedBoxKey(this.#pair(own).secretKey, other)
    this.#shared.set(name, key)
    return key
  }

  #pair(name: string): KeyPair {
    const pair = this.#pairs.get(name)
    if (pair === undefined) throw new RangeError('the key is not one of this enclave')
    return pair
  }
}

/** @returns the key that a Base64 text of 32 bytes denotes; undefined for anything else */
export function publicKeyOf(name: unknown): Uint8Array | undefined {
  const key = typeof name === 'string' ? fromBase64(name) : undefined
  return key?.length === KEY_BYTES ? key : undefined
}
