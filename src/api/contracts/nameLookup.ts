import { MAX_SUMMARY_CONTRACTS } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { ContractResolver } from './resolve.ts'

/** Names for a bounded number of accounts. */
export class NameLookup {
  readonly #resolver: ContractResolver
  readonly #seen = new Set<string>()

  constructor(resolver: ContractResolver) {
    this.#resolver = resolver
  }

  /** @returns undefined for an account without code, and beyond the limit */
  async at(address: Uint8Array): ReturnType<ContractResolver['at']> {
    const key = bytesToHex(address)
    if (!this.#seen.has(key) && this.#seen.size >= MAX_SUMMARY_CONTRACTS) return undefined
    this.#seen.add(key)
    return this.#resolver.at(address)
  }
}
