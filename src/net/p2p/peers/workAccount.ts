import {
  MAX_PEER_DEBT_MS,
  MAX_SHARED_PEER_DEBT_MS,
  PEER_WORK_BURST_MS,
  PEER_WORK_MS_PER_SECOND,
  SHARED_PEER_WORK_BURST_MS,
  SHARED_PEER_WORK_MS_PER_SECOND,
} from '../../../base/limits/limits.ts'
import { TokenBucket } from '../../../base/primitives/tokenBucket.ts'

/** Time after which a peer in debt asks again for a part of the shared credit. */
const RETRY_MS = 50

/** Credit of all peers, for those that have used up their own: a busy peer is slowed down only while others are busy too. */
export class SharedWork {
  /** A token is a millisecond of computing. */
  readonly #credit: TokenBucket

  constructor(nowMs: number) {
    this.#credit = new TokenBucket(SHARED_PEER_WORK_MS_PER_SECOND, SHARED_PEER_WORK_BURST_MS, nowMs)
  }

  /** @returns the part of the debt that is paid */
  pay(debtMs: number, nowMs: number): number {
    const paidMs = Math.min(debtMs, Math.max(0, this.#credit.spend(0, nowMs)))
    this.#credit.spend(paidMs, nowMs)
    return paidMs
  }

  /** Takes over what a connection owed at its end: otherwise each new connection would begin without debt. */
  takeOver(debtMs: number, nowMs: number): void {
    const leftMs = this.#credit.spend(debtMs, nowMs)
    if (leftMs < -MAX_SHARED_PEER_DEBT_MS) this.#credit.spend(leftMs + MAX_SHARED_PEER_DEBT_MS, nowMs)
  }

  hasCredit(nowMs: number): boolean {
    return this.#credit.spend(0, nowMs) > 0
  }
}

/**
 * The computing that one peer has caused: decryption, decoding and all that follows at once. The cost of a message is known
 * only afterwards, so a peer may get into debt. It is not read until its debt is paid; nothing is dropped.
 */
export class WorkAccount {
  readonly #shared: SharedWork
  /** A token is a millisecond of computing. */
  readonly #own: TokenBucket
  #isClosed = false

  /**
   * @param nowMs monotonic time in milliseconds, here and below
   * @param isChosen this node has dialled the peer. One that has connected by itself earns its credit over time: ids are free.
   */
  constructor(shared: SharedWork, nowMs: number, isChosen: boolean) {
    this.#shared = shared
    this.#own = new TokenBucket(PEER_WORK_MS_PER_SECOND, PEER_WORK_BURST_MS, nowMs)
    if (!isChosen) this.#own.spend(PEER_WORK_BURST_MS, nowMs)
  }

  /** @returns milliseconds until the peer may be read, or until this should be asked again; 0: it may be read now */
  delayMs(nowMs: number): number {
    return this.#own.spend(0, nowMs) > 0 || this.#shared.hasCredit(nowMs) ? 0 : RETRY_MS
  }

  /** The connection has ended. Its debt remains. */
  close(nowMs: number): void {
    this.#isClosed = true
    this.#shared.takeOver(Math.max(0, -this.#own.spend(0, nowMs)), nowMs)
  }

  /**
   * Counts work.
   * @returns milliseconds until the peer may be read again, or until this should be asked again; 0: it may be read now
   */
  spend(workMs: number, nowMs: number): number {
    if (this.#isClosed) {
      this.#shared.takeOver(Math.min(workMs, MAX_PEER_DEBT_MS), nowMs)
      return 0
    }
    let leftMs = this.#own.spend(workMs, nowMs)
    if (leftMs >= 0) return 0
    leftMs = this.#own.spend(-this.#shared.pay(-leftMs, nowMs), nowMs)
    // The time of one message may include a pause of this process, for which the peer is not to blame.
    if (leftMs < -MAX_PEER_DEBT_MS) leftMs = this.#own.spend(leftMs + MAX_PEER_DEBT_MS, nowMs)
    return leftMs >= 0 ? 0 : Math.min(RETRY_MS, Math.ceil((-leftMs / PEER_WORK_MS_PER_SECOND) * 1000))
  }
}
