/**
 * Addresses at which contracts may be, from receipts and requests. Whether a contract is there is read from the state.
 * @module
 */
import { MAX_DEPLOYMENT_ADDRESSES, MAX_DEPLOYMENT_BLOCKS } from '../../base/limits/limits.ts'
import { bytesToHex, EMPTY_BYTES, equalBytes, hexToBytes } from '../../base/primitives/bytes.ts'
import type { ChainReader } from '../../chain/contract.ts'

/** Blocks whose receipts are read in one turn. */
const BLOCKS_PER_TURN = 64

export class Deployments {
  /** In hex, oldest first. */
  readonly #addresses = new Set<string>()
  /** Blocks from `#from` to `#to`, both inclusive, have been read. */
  #from = 0
  #to = -1
  /** Hash of the block `#to`: after a reorganisation, all blocks are read again. */
  #hash: Uint8Array = EMPTY_BYTES

  get addresses(): readonly Uint8Array[] {
    return [...this.#addresses].map((address) => hexToBytes(address))
  }

  add(address: Uint8Array): void {
    const key = bytesToHex(address)
    if (this.#addresses.has(key)) return
    this.#addresses.add(key)
    const [oldest] = this.#addresses
    if (this.#addresses.size > MAX_DEPLOYMENT_ADDRESSES && oldest !== undefined) this.#addresses.delete(oldest)
  }

  /**
   * Reads receipts of blocks that have not been read: the newest first, then older ones, up to a limit for each call.
   * @throws {StoreMiss} it can then be called again, and goes on where it was
   */
  async read(chain: ChainReader, yieldToHost: () => Promise<void>): Promise<void> {
    const head = Number(chain.head.header.number)
    if (!equalBytes(chain.canonicalHash(this.#to) ?? EMPTY_BYTES, this.#hash) || this.#to < 0) {
      this.#from = head + 1
      this.#to = head
    }
    for (let left = MAX_DEPLOYMENT_BLOCKS; left > 0 && this.#readNext(chain, head); left--) {
      if (left % BLOCKS_PER_TURN === 0) await yieldToHost()
    }
    this.#hash = chain.canonicalHash(this.#to) ?? EMPTY_BYTES
  }

  /** @returns false when all blocks have been read */
  #readNext(chain: ChainReader, head: number): boolean {
    const next = chain.index.skipDerived(this.#to + 1)
    if (next <= head) {
      this.#readBlock(chain, next)
      this.#to = next
      return true
    }
    if (this.#from <= chain.lowestNumber) return false
    const number = this.#from - 1
    const run = chain.headerByNumber(number)?.run
    if (run === undefined) this.#readBlock(chain, number)
    // The blocks of a run are empty.
    this.#from = Math.min(number, run?.run.first ?? number)
    return true
  }

  #readBlock(chain: ChainReader, number: number): void {
    const hash = chain.canonicalHash(number)
    for (const { contractAddress } of (hash && chain.receipts(hash)) ?? []) {
      if (contractAddress !== undefined) this.add(contractAddress)
    }
  }
}
