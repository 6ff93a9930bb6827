/**
 * Follows a chain with proof of work header by header. Each block has the difficulty that its parent demands, and a seal for
 * it. Which of two branches has more work is for the caller to know.
 * @module
 */
import { MAX_FOLLOWED_HEADERS } from '../../base/limits/limits.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { PowEngine } from '../../consensus/pow/pow.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { headUntrusted } from '../errors.ts'
import type { HeaderLookup } from './headerReads.ts'
import type { SealTrust } from './sealTrust.ts'

export interface PowTrustDeps {
  readonly headers: HeaderLookup
  readonly schedule: ConsensusSchedule
  readonly config: ChainConfig
  readonly yieldToHost: YieldToHost
}

/** Headers that are asked for together. */
const HEADERS_PER_BATCH = 128
/** Blocks on top of another one after which it is not replaced. */
const CONFIRMATIONS = 64

export class PowTrust implements SealTrust {
  readonly #deps: PowTrustDeps
  #newest: ForkHeader
  #trusted: ForkHeader

  /** @param trusted believed without a seal: the genesis block or a checkpoint */
  constructor(deps: PowTrustDeps, trusted: ForkHeader) {
    this.#deps = deps
    this.#newest = trusted
    this.#trusted = trusted
  }

  get trusted(): ForkHeader {
    return this.#trusted
  }

  get newest(): ForkHeader {
    return this.#newest
  }

  async follow(target: ForkHeader): Promise<void> {
    const { number } = this.#trusted
    if (target.number <= number || equalBytes(target.hash, this.#newest.hash)) return
    if (target.number - number > MAX_FOLLOWED_HEADERS) {
      throw headUntrusted(target.number, `it is more than ${MAX_FOLLOWED_HEADERS} headers above block ${number}`)
    }
    const way: ForkHeader[] = [this.#trusted]
    for (let from = number + 1; from <= target.number; from += HEADERS_PER_BATCH) {
      const count = Math.min(HEADERS_PER_BATCH, target.number - from + 1)
      for (const block of await this.#deps.headers.at(Array.from({ length: count }, (_, i) => from + i))) {
        await this.#verify(block, way.at(-1) as ForkHeader)
        way.push(block)
      }
    }
    const top = way.at(-1) as ForkHeader
    if (!equalBytes(top.hash, target.hash)) throw headUntrusted(target.number, 'it is not the block of its number')
    this.#newest = top
    this.#trusted = way[Math.max(0, way.length - 1 - CONFIRMATIONS)] as ForkHeader
  }

  async #verify({ header, number }: ForkHeader, parent: ForkHeader): Promise<void> {
    if (!equalBytes(header.parentHash, parent.hash)) {
      throw headUntrusted(number, `its parent is another block than ${bytesToHex(parent.hash)}`)
    }
    const { schedule, config, yieldToHost } = this.#deps
    const engine = schedule.claimedBy(header)
    if (!(engine instanceof PowEngine)) throw headUntrusted(number, `blocks of ${engine.name} have no proof of work`)
    const rules = config.rulesAt(header)
    await engine.prepareSealCheck(header, rules, yieldToHost)
    const reason = engine.verifyHeader(header, parent.header, { rules, verifySeal: true })
    if (reason !== undefined) throw headUntrusted(number, reason)
    await yieldToHost()
  }
}
