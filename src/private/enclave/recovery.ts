import { ENCLAVE_RECOVERY_QUIET_MS } from '../../base/limits/limits.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { type EncryptedPayload, restoredPayload } from './encryptedPayload.ts'
import type { KeyRing } from './keyRing.ts'
import type { PartyBook } from './partyBook.ts'

export interface RecoveryOptions {
  readonly ring: KeyRing
  readonly book: PartyBook
  readonly timers: Timers
  readonly logger: Logger
}

/** Payloads that an enclave has sent and lost: their recipients give them back. That some come back proves the loss. */
export class Recovery {
  readonly #options: RecoveryOptions
  #payloads = 0
  #timer: Timer | undefined

  constructor(options: RecoveryOptions) {
    this.#options = options
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

  /** A payload was stored. */
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
    this.#timer?.cancel()
  }
}
