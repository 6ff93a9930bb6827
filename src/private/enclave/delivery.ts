/**
 * Delivery of payloads and groups to other enclaves.
 * @module
 */
import { ENCLAVE_RESEND_INTERVAL_MS, MAX_ENCLAVE_PARTIES, MAX_ENCLAVE_PUSHES } from '../../base/limits/limits.ts'
import type { EnclavePeers } from '../../base/ports/enclave.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { EnclaveStore } from './enclaveStore.ts'
import { type EncryptedPayload, encodePayload, payloadFor } from './encryptedPayload.ts'
import { type EnclaveGroup, encodeGroup } from './group.ts'
import type { KeyRing } from './keyRing.ts'
import type { PartyBook } from './partyBook.ts'
import { refusal } from './refusal.ts'

export interface DeliveryOptions {
  readonly ring: KeyRing
  readonly book: PartyBook
  readonly store: EnclaveStore
  readonly peers: EnclavePeers
  readonly clock: Clock
  readonly logger: Logger
}

const BINARY = 'application/octet-stream'

export class Delivery {
  readonly #options: DeliveryOptions
  /** Names of keys → monotonic time of their last resend, ms. */
  readonly #resends = new LruCache<string, number>(MAX_ENCLAVE_PARTIES)
  #isResending = false
  #isClosed = false

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  close(): void {
    this.#isClosed = true
  }

  /** @throws {NodeError} ENCLAVE_REFUSAL with status 404 if a key belongs neither to this enclave nor to a known one */
  checkReachable(recipients: readonly Uint8Array[]): void {
    const { ring, book } = this.#options
    const missing = recipients.map(toBase64).find((name) => !ring.has(name) && book.urlOf(name) === undefined)
    if (missing !== undefined) throw refusal(404, `Recipient not found for key: ${missing}`)
  }

  /**
   * Sends a payload to those of its recipients that are in other enclaves.
   * @throws {NodeError} ENCLAVE_REFUSAL with status 500 when one of them did not accept it
   */
  async sendPayload(payload: EncryptedPayload): Promise<void> {
    const isSent = await this.#toAll(payload.recipients, 'push', (key) => encodePayload(payloadFor(payload, key)))
    if (!isSent) throw refusal(500, 'NodePushingToPeer')
  }

  /** @returns whether every member in another enclave accepted it */
  sendGroup(group: EnclaveGroup): Promise<boolean> {
    const bytes = encodeGroup(group)
    return this.#toAll(group.members, 'pushPrivacyGroup', () => bytes)
  }

  /**
   * Sends all payloads again that this enclave has sent to a key, and gives back those that it has received from the key, to
   * the enclave that has the key. Anyone may ask for this, so it handles one key at a time and not too often.
   * @throws {NodeError} ENCLAVE_REFUSAL with status 503 when the caller should ask again later
   */
  resend(key: Uint8Array): void {
    const { book, clock } = this.#options
    const [name, now] = [toBase64(key), clock.monotonic()]
    const last = this.#resends.get(name)
    const isTooEarly = last !== undefined && now - last < ENCLAVE_RESEND_INTERVAL_MS
    if (book.urlOf(name) === undefined) return
    if (this.#isResending || isTooEarly) throw refusal(503, 'Payloads were resent a short time ago: ask again later')
    this.#resends.set(name, now)
    this.#isResending = true
    void this.#resendAll(key).finally(() => {
      this.#isResending = false
    })
  }

  async #resendAll(key: Uint8Array): Promise<void> {
    const { ring, store, logger } = this.#options
    const groups = new Set<string>()
    let count = 0
    try {
      for (const payload of store.payloads()) {
        if (this.#isClosed) return
        const recipient = recipientOf(payload, key, ring)
        if (recipient === undefined) continue
        const { groupId } = payload
        const group = groupId && !groups.has(toBase64(groupId)) ? store.group(groupId) : undefined
        if (groupId !== undefined) groups.add(toBase64(groupId))
        if (group?.isDeleted === false) await this.#send(key, 'pushPrivacyGroup', encodeGroup(group))
        if (!(await this.#send(key, 'push', encodePayload(payloadFor(payload, recipient))))) break
        count++
      }
      if (count > 0) logger.info('resent payloads to an enclave', { payloads: count })
    } catch (error) {
      logger.warn('cannot resend payloads', { error })
    }
  }

  async #toAll(
    recipients: readonly Uint8Array[],
    path: string,
    bodyFor: (key: Uint8Array) => Uint8Array,
  ): Promise<boolean> {
    const waiting = recipients.filter((key) => !this.#options.ring.has(toBase64(key)))
    let isSent = true
    const work = async (): Promise<void> => {
      for (;;) {
        const key = waiting.shift()
        if (key === undefined || !isSent) return
        if (!(await this.#send(key, path, bodyFor(key)))) isSent = false
      }
    }
    await Promise.all(Array.from({ length: Math.min(MAX_ENCLAVE_PUSHES, waiting.length) }, work))
    return isSent
  }

  async #send(key: Uint8Array, path: string, body: Uint8Array): Promise<boolean> {
    const { book, peers, logger } = this.#options
    const url = book.urlOf(toBase64(key))
    if (url === undefined) return false
    try {
      const { status } = await peers.request({ method: 'POST', url: `${url}${path}`, contentType: BINARY, body })
      if (status === 200 || status === 201) return true
      logger.warn('an enclave refused a message', { url, path, status })
    } catch (error) {
      logger.warn('an enclave is unreachable', { url, reason: (error as Error).message })
    }
    return false
  }
}

/**
 * The recipient whose box an enclave that has lost a payload can open: its own key, or one of the ring if it was the sender.
 * @returns undefined when the payload is not between the ring and the key
 */
function recipientOf({ sender, recipients }: EncryptedPayload, key: Uint8Array, ring: KeyRing): Uint8Array | undefined {
  if (ring.has(toBase64(sender))) return recipients.find((it) => equalBytes(it, key))
  return equalBytes(sender, key) ? recipients.find((it) => ring.has(toBase64(it))) : undefined
}
