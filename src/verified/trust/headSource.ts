/**
 * The newest trusted block, by the kind of trust.
 * @module
 */
import { HEAD_MAX_AGE_MS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { headUntrusted } from '../errors.ts'
import { agreedHead } from './agreement.ts'
import type { ProvenCall } from './bftTrust.ts'
import type { HeaderReads } from './headerReads.ts'
import { openSealTrust } from './openSealTrust.ts'
import type { SealTrust } from './sealTrust.ts'

/** Trust with its hashes decoded and its remotes opened. */
export type HeadTrust =
  | { readonly kind: 'hash'; readonly hash: Uint8Array }
  | { readonly kind: 'checkpoint'; readonly hash: Uint8Array }
  | { readonly kind: 'heads'; readonly remotes: readonly HeaderReads[]; readonly agree: number }

export interface HeadSourceDeps {
  readonly headers: HeaderReads
  readonly schedule: ConsensusSchedule
  readonly config: ChainConfig
  readonly clock: Clock
  readonly callAt: ProvenCall
}

export class HeadSource {
  readonly #deps: HeadSourceDeps
  readonly #trust: HeadTrust
  #follower: Promise<SealTrust> | undefined
  #known: { readonly block: ForkHeader; readonly atMs: number } | undefined
  #search: Promise<ForkHeader> | undefined

  constructor(deps: HeadSourceDeps, trust: HeadTrust) {
    this.#deps = deps
    this.#trust = trust
  }

  /**
   * Looks for a newer block at most once a second.
   * @throws {NodeError} HEAD_UNTRUSTED, PROOF_INVALID, FORK_UNAVAILABLE
   */
  head(): Promise<ForkHeader> {
    const known = this.#known
    if (known !== undefined && this.#isFresh(known.atMs)) return Promise.resolve(known.block)
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  #isFresh(atMs: number): boolean {
    return this.#trust.kind === 'hash' || this.#deps.clock.monotonic() - atMs < HEAD_MAX_AGE_MS
  }

  async #find(): Promise<ForkHeader> {
    const block = await this.#newest()
    this.#known = { block, atMs: this.#deps.clock.monotonic() }
    return block
  }

  async #newest(): Promise<ForkHeader> {
    const trust = this.#trust
    if (trust.kind === 'hash') return this.#deps.headers.of(trust.hash)
    if (trust.kind === 'heads') return agreedHead(trust.remotes, trust.agree)
    this.#follower ??= this.#open(trust.hash).catch((error) => {
      this.#follower = undefined
      throw error
    })
    const [follower, target] = await Promise.all([this.#follower, this.#deps.headers.tagged('latest')])
    await follower.follow(target)
    return follower.trusted
  }

  async #open(checkpoint: Uint8Array): Promise<SealTrust> {
    const { headers, schedule, config, clock, callAt } = this.#deps
    const block = await headers.of(checkpoint)
    const deps = { headers, schedule, config, callAt, now: () => clock.now() }
    const follower = await openSealTrust(block, deps)
    if (follower !== undefined) return follower
    const { name } = schedule.claimedBy(block.header)
    const reason = `blocks of ${name} have no seals that lead from a checkpoint to the head; trust a hash, or heads`
    throw headUntrusted(block.number, reason)
  }
}
