/**
 * Requests that any peer may answer: the fastest one is asked first. If it is silent for a while, a second one is asked
 * too; if it fails, it is replaced.
 * @module
 */
import { SYNC_HEDGE_MS, SYNC_TARGET_PATIENCE_MS } from '../../base/limits/networkLimits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { EthPeer, Question, ResponseTo } from '../eth/contract.ts'
import type { EthRequest } from '../protocols/eth/messages.ts'
import type { SyncPeers } from './syncPeers.ts'

export type Verdict<T> =
  | { readonly kind: 'good'; readonly value: T }
  /** The peer does not have it. */
  | { readonly kind: 'empty' }
  /** The answer cannot belong to the question. */
  | { readonly kind: 'wrong'; readonly reason: string }

export interface Task<K extends EthRequest['kind'], T> {
  readonly question: Question<K>
  /** Number of the highest block that the question is about. */
  readonly number: number
  /** Only this peer is asked; default: every peer with the block. */
  readonly only?: EthPeer | undefined
  check(response: ResponseTo<K>, peer: EthPeer): Verdict<T> | Promise<Verdict<T>>
}

/** Ends all requests of a round. */
export interface Halt {
  readonly isHalted: boolean
  /** Resolves when halted. */
  readonly halted: Promise<void>
}

type Attempt<T> = { readonly kind: 'good'; readonly value: T } | { readonly kind: 'failed' }

/** The attempts with one peer for one task. */
interface Tries {
  timeouts: number
  isAsked: boolean
  /** Another attempt is useless. */
  isSpent: boolean
  /** Nobody waits for the answer any longer. */
  isAbandoned: boolean
}

const MAX_TIMEOUTS = 2
const MAX_RACING = 2
/** The state of peers may change without notice. */
const RECHECK_MS = 500
const FAILED: Attempt<never> = { kind: 'failed' }

export interface SyncRequestsDeps {
  readonly syncPeers: SyncPeers
  readonly clock: Clock
  /** The peer whose chain is followed: asked even after an empty answer. */
  readonly target: EthPeer
  /** Whether another peer can be followed instead of a silent one. */
  hasAlternative(): boolean
}

/** The requests of one round. */
export class SyncRequests {
  readonly #deps: SyncRequestsDeps
  readonly #peers: SyncPeers
  readonly #halt: Halt
  /** Peers that have given an empty answer: they are on another branch. */
  readonly #strangers = new Set<EthPeer>()
  #hasLostPatience = false

  constructor(deps: SyncRequestsDeps, halt: Halt) {
    this.#deps = deps
    this.#peers = deps.syncPeers
    this.#halt = halt
  }

  /** Whether an answer of the target was not awaited, because another peer can be followed. It may yet arrive. */
  get hasLostPatience(): boolean {
    return this.#hasLostPatience
  }

  /** @returns undefined when no peer delivers, or when halted */
  async fetch<K extends EthRequest['kind'], T>(task: Task<K, T>): Promise<T | undefined> {
    const tries = new Map<EthPeer, Tries>()
    const racing = new Set<Promise<Attempt<T>>>()
    const { clock, hasAlternative } = this.#deps
    const patientUntilMs = clock.monotonic() + SYNC_TARGET_PATIENCE_MS
    while (!this.#halt.isHalted) {
      if (task.only !== undefined && clock.monotonic() >= patientUntilMs && hasAlternative()) {
        this.#hasLostPatience = true
        for (const attempt of tries.values()) attempt.isAbandoned = true
        return undefined
      }
      const candidates = this.#candidates(task).filter((peer) => tries.get(peer)?.isSpent !== true)
      const peer = racing.size < MAX_RACING ? this.#fastest(candidates, tries) : undefined
      if (peer !== undefined) {
        const attempt: Promise<Attempt<T>> = this.#ask(peer, task, tries).finally(() => racing.delete(attempt))
        racing.add(attempt)
      } else if (racing.size === 0) {
        if (candidates.length === 0) return undefined
        await Promise.race([this.#peers.changed(RECHECK_MS), this.#halt.halted])
        continue
      }
      const first = Promise.race([...racing, this.#halt.halted])
      const outcome = await this.#peers.within(first, SYNC_HEDGE_MS)
      if (outcome?.kind === 'good') return outcome.value
      if (outcome === undefined) for (const [slow, { isAsked }] of tries) if (isAsked) this.#peers.slow(slow)
    }
    return undefined
  }

  #candidates<K extends EthRequest['kind'], T>({ number, only }: Task<K, T>): readonly EthPeer[] {
    if (only === undefined) return this.#peers.withBlock(number).filter((peer) => !this.#isStranger(peer))
    return only.isOpen ? [only] : []
  }

  #isStranger(peer: EthPeer): boolean {
    return peer !== this.#deps.target && this.#strangers.has(peer)
  }

  #fastest(candidates: readonly EthPeer[], tries: ReadonlyMap<EthPeer, Tries>): EthPeer | undefined {
    let best: EthPeer | undefined
    let bestMs = Number.POSITIVE_INFINITY
    for (const peer of candidates) {
      if (!this.#peers.canAsk(peer) || tries.get(peer)?.isAsked === true) continue
      const expectedMs = this.#peers.expectedMs(peer)
      if (expectedMs < bestMs) [best, bestMs] = [peer, expectedMs]
    }
    return best
  }

  async #ask<K extends EthRequest['kind'], T>(
    peer: EthPeer,
    { question, check }: Task<K, T>,
    tries: Map<EthPeer, Tries>,
  ): Promise<Attempt<T>> {
    const attempt = tries.get(peer) ?? { timeouts: 0, isAsked: false, isSpent: false, isAbandoned: false }
    tries.set(peer, attempt)
    attempt.isAsked = true
    const endRequest = this.#peers.began(peer)
    const reply = await peer.ask(question)
    endRequest()
    attempt.isAsked = false
    if (reply.kind === 'timeout') {
      if (attempt.isAbandoned) this.#peers.failed(peer, 'does not answer')
      else this.#peers.pause(peer)
      attempt.isSpent = ++attempt.timeouts >= MAX_TIMEOUTS
      return FAILED
    }
    if (reply.kind === 'busy') {
      this.#peers.pause(peer, RECHECK_MS)
      return FAILED
    }
    attempt.isSpent = true
    if (reply.kind === 'closed') return FAILED
    const verdict = await check(reply.response, peer)
    if (verdict.kind === 'good') peer.report('useful', question.kind)
    else if (verdict.kind === 'wrong') this.#peers.breach(peer, verdict.reason)
    else if (!this.#strangers.has(peer)) {
      // Later empty answers in the same round have the same cause.
      this.#strangers.add(peer)
      peer.report('useless', question.kind)
    }
    if (attempt.isAbandoned && verdict.kind === 'empty') this.#peers.failed(peer, 'its chain ends below its head')
    return verdict.kind === 'good' ? verdict : FAILED
  }
}
