import { ENCLAVE_POLL_MS, ENCLAVE_RECOVERY_QUIET_MS } from '../../base/limits/limits.ts'
import type { EnclavePeers } from '../../base/ports/enclave.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { type EncryptedPayload, restoredPayload } from './encryptedPayload.ts'
import type { KeyRing } from './keyRing.ts'
import type { PartyBook } from './partyBook.ts'

export interface RecoveryOptions {
  readonly ring: KeyRing
  readonly book: PartyBook
  readonly peers: EnclavePeers
  readonly timers: Timers
  readonly logger: Logger
}

/** Status of an answer: the other enclave resends later. */
const LATER = 503

const utf8 = new TextEncoder()

/**
 * After the loss of its database, an enclave asks the others for the payloads that it has received from them or sent to them. A sent
 * payload that comes back proves the loss.
 */
export class Recovery {
  readonly #options: RecoveryOptions
  /** For questions that are repeated. */
  readonly #questions = new Set<Timer>()
  #payloads = 0
  #timer: Timer | undefined
  #isClosed = false

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** Asks a configured enclave for each key, until it agrees. */
  ask(url: string): void {
    for (const publicKey of this.#options.ring.names) void this.#ask(url, publicKey)
  }

  async #ask(url: string, publicKey: string): Promise<void> {
    const { peers, timers } = this.#options
    const body = utf8.encode(JSON.stringify({ type: 'ALL', publicKey }))
    const request = { method: 'POST', url: `${url}resend`, contentType: 'application/json', body } as const
    const status = await peers.request(request).then(
      (answer) => answer.status,
      () => LATER,
    )
    if (status !== LATER || this.#isClosed) return
    const timer = timers.schedule(ENCLAVE_POLL_MS, () => {
      this.#questions.delete(timer)
      void this.#ask(url, publicKey)
    })
    this.#questions.add(timer)
  }

  /**
   * @param payload that another enclave has pushed
   * @returns it for its sender, a key of this enclave; undefined when it is another payload, or when no configured enclave has
   * the key of its recipient: a recipient can make such a payload itself
   */
  restored(payload: EncryptedPayload): EncryptedPayload | undefined {
    const { ring, book } = this.#options
    if (!payload.recipients.every((key) => book.isConfigured(toBase64(key)))) return undefined
    return restoredPayload(payload, ring)
  }

  /** A restored payload was stored. */
  count(): void {
    const { timers, logger } = this.#options
    if (this.#payloads === 0) {
      logger.warn('the database of this enclave was lost: the recipients of what it had sent give it back')
    }
    this.#payloads++
    this.#timer?.cancel()
    this.#timer = timers.schedule(ENCLAVE_RECOVERY_QUIET_MS, () => {
      logger.info('got back sent payloads', { payloads: this.#payloads })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    for (const timer of this.#questions) timer.cancel()
  }
}
