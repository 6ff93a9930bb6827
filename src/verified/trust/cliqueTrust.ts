/**
 * Follows a chain of Clique header by header: each signer is known only from the blocks before.
 * @see EIP-225
 * @module
 */
import { MAX_FOLLOWED_HEADERS } from '../../base/limits/limits.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ConsensusSchedule, VerifyContext } from '../../chain/engine.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { CliqueEngine } from '../../consensus/clique/clique.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import type { Header } from '../../types/block.ts'
import { headUntrusted } from '../errors.ts'
import type { HeaderLookup } from './headerReads.ts'
import type { SealTrust } from './sealTrust.ts'

export interface CliqueTrustDeps {
  readonly headers: HeaderLookup
  readonly schedule: ConsensusSchedule
  readonly config: ChainConfig
  /** Wall clock, milliseconds since 1970. */
  now(): number
}

/** Headers that are asked for together. */
const HEADERS_PER_BATCH = 128

export class CliqueTrust implements SealTrust {
  readonly #deps: CliqueTrustDeps
  readonly #known = new Map<string, Header>()
  readonly #records = new Map<string, Uint8Array>()
  #newest: ForkHeader
  #trusted: ForkHeader

  /** @param trusted believed without a seal: the genesis block or a checkpoint */
  constructor(deps: CliqueTrustDeps, trusted: ForkHeader) {
    this.#deps = deps
    this.#newest = trusted
    this.#trusted = trusted
    this.#keep(trusted)
  }

  /** The newest block that enough signers have confirmed. */
  get trusted(): ForkHeader {
    return this.#trusted
  }

  get newest(): ForkHeader {
    return this.#newest
  }

  /**
   * Verifies the headers up to another block. The blocks on which more than half of the signers have built since are
   * believed.
   * @throws {NodeError} HEAD_UNTRUSTED
   */
  async follow(target: ForkHeader): Promise<void> {
    await this.#loadAncestors()
    const { number } = this.#trusted
    if (target.number - number > MAX_FOLLOWED_HEADERS) {
      throw headUntrusted(target.number, `it is more than ${MAX_FOLLOWED_HEADERS} headers above block ${number}`)
    }
    if (target.number <= number || equalBytes(target.hash, this.#newest.hash)) return
    const way: ForkHeader[] = [this.#trusted]
    for (let from = number + 1; from <= target.number; from += HEADERS_PER_BATCH) {
      const count = Math.min(HEADERS_PER_BATCH, target.number - from + 1)
      for (const block of await this.#deps.headers.at(Array.from({ length: count }, (_, i) => from + i))) {
        this.#verify(block, way.at(-1) as ForkHeader)
        way.push(block)
      }
    }
    const top = way.at(-1) as ForkHeader
    if (!equalBytes(top.hash, target.hash)) throw headUntrusted(target.number, 'the remote changed its chain meanwhile')
    this.#newest = top
    const confirmations = Math.floor(this.#signersAfter(top).length / 2) + 1
    this.#trusted = way[Math.max(0, way.length - 1 - confirmations)] as ForkHeader
    this.#forget()
  }

  /** The signers after the trusted block follow from those that the last epoch block lists, and from the blocks since. */
  async #loadAncestors(): Promise<void> {
    const { number } = this.#trusted
    for (let lowest = this.#trusted; !this.#hasSigners(); lowest = await this.#loadBelow(lowest)) {
      if (number - lowest.number > MAX_FOLLOWED_HEADERS)
        throw headUntrusted(number, 'no epoch block near it lists the signers')
    }
  }

  #hasSigners(): boolean {
    try {
      this.#signersAfter(this.#trusted)
      return true
    } catch (error) {
      if (isNodeError(error, 'STORE_DAMAGED')) return false
      throw error
    }
  }

  /** @returns the lowest block that was loaded */
  async #loadBelow(block: ForkHeader): Promise<ForkHeader> {
    let child = block
    const count = Math.min(HEADERS_PER_BATCH, block.number)
    for (const parent of await this.#deps.headers.at(Array.from({ length: count }, (_, i) => block.number - 1 - i))) {
      if (!equalBytes(parent.hash, child.header.parentHash)) {
        throw headUntrusted(parent.number, `it is not the parent of block ${child.number}`)
      }
      this.#keep(parent)
      child = parent
    }
    return child
  }

  #verify(block: ForkHeader, parent: ForkHeader): void {
    const { header, number } = block
    if (!equalBytes(header.parentHash, parent.hash)) {
      throw headUntrusted(number, `its parent is another block than ${bytesToHex(parent.hash)}`)
    }
    const reason = this.#engineOf(block).verifyHeader(header, parent.header, this.#contextOf(header))
    if (reason !== undefined) throw headUntrusted(number, reason)
    this.#keep(block)
  }

  #signersAfter(block: ForkHeader): readonly Uint8Array[] {
    return this.#engineOf(block).snapshotAfter(block.hash, this.#contextOf(block.header)).signers
  }

  #contextOf(header: Header): VerifyContext {
    return {
      rules: this.#deps.config.rulesAt(header),
      headers: { headerByHash: (hash) => this.#known.get(bytesToHex(hash)) },
      parentState: () => {
        throw headUntrusted(Number(header.number), 'its rules need the state')
      },
      store: {
        get: (key) => this.#records.get(bytesToHex(key)),
        put: (key, value) => this.#records.set(bytesToHex(key), value),
      },
      nowMs: this.#deps.now(),
      verifySeal: true,
      isOmmer: false,
    }
  }

  /** Headers far below are loaded again if they are needed. */
  #forget(): void {
    const lowest = this.#trusted.header.number - BigInt(HEADERS_PER_BATCH)
    for (const [hash, { number }] of this.#known) if (number < lowest) this.#known.delete(hash)
    this.#records.clear()
  }

  #keep({ hash, header }: ForkHeader): void {
    this.#known.set(bytesToHex(hash), header)
  }

  #engineOf({ header, number }: ForkHeader): CliqueEngine {
    const engine = this.#deps.schedule.claimedBy(header)
    if (engine instanceof CliqueEngine) return engine
    throw headUntrusted(number, `seals of ${engine.name} cannot be followed from those of Clique`)
  }
}
