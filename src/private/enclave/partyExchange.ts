/**
 * The exchange of party infos: each enclave regularly sends its own to those that it knows. A receiver verifies that the
 * sender has the keys that it names: the sender must decrypt a random text.
 * @module
 */
import { ENCLAVE_POLL_MS, MAX_ENCLAVE_PARTY_KEYS, MAX_ENCLAVE_VERIFICATIONS } from '../../base/limits/limits.ts'
import type { EnclavePeers } from '../../base/ports/enclave.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { bytesToHexUnprefixed, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { decodePayload, decryptPayload, encodePayload, encryptPayload } from './encryptedPayload.ts'
import { type KeyRing, publicKeyOf } from './keyRing.ts'
import type { PartyBook } from './partyBook.ts'
import { decodePartyInfo, enclaveUrl, encodePartyInfo } from './partyInfo.ts'
import { refusal } from './refusal.ts'

export interface PartyExchangeOptions {
  readonly ring: KeyRing
  readonly book: PartyBook
  readonly peers: EnclavePeers
  readonly random: Random
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  /** Called when the first key of an enclave has been verified. */
  readonly onParty: (url: string) => void
}

const BINARY = 'application/octet-stream'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const text = new TextEncoder()
const utf8 = new TextDecoder()

export class PartyExchange {
  readonly #options: PartyExchangeOptions
  /** URL of this enclave; empty until the start. */
  #url = ''
  #timer: Timer | undefined
  #isClosed = false
  #verifications = 0
  /** Enclaves whose last poll failed. */
  readonly #away = new Set<string>()

  constructor(options: PartyExchangeOptions) {
    this.#options = options
  }

  /** @param url under which other enclaves reach this one, in the form of `enclaveUrl` */
  start(url: string): void {
    this.#url = url
    void this.#round()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  /** For `GET /partyinfo`. */
  describe(): object {
    const { ring, book } = this.#options
    const others = [...book.keys].map(([key, url]) => ({ key, url }))
    const ownKeys = ring.names.map((key) => ({ key, url: this.#url }))
    return { url: this.#url, peers: book.urls.map((url) => ({ url })), keys: [...ownKeys, ...others] }
  }

  /**
   * Handles a party info.
   * @returns the answer's body
   * @throws {NodeError} ENCLAVE_REFUSAL
   */
  async receive(body: Uint8Array): Promise<Uint8Array> {
    const { book } = this.#options
    const { url: given, keys, parties } = decodePartyInfo(body)
    const url = enclaveUrl(given)
    if (url === undefined) throw refusal(400, 'malformed message: the URL of the enclave is not an HTTP URL')
    if (url === this.#url) return EMPTY_BYTES
    if (!book.isOpen && !book.has(url)) throw refusal(403, 'Only configured enclaves are accepted')
    const ownKeys = keys.filter((item) => enclaveUrl(item.url) === url).map(({ key }) => key)
    const verified = await this.#verify(url, ownKeys)
    if (verified.length === 0) throw refusal(500, `No validated keys found for peer ${given}`)
    if (!book.add(url)) throw refusal(503, 'Too many enclaves are known')
    this.#learn(url, verified)
    for (const party of parties) {
      const further = enclaveUrl(party)
      if (further !== undefined && further !== this.#url) book.add(further)
    }
    return EMPTY_BYTES
  }

  /**
   * Proves that this enclave has a key.
   * @returns the decrypted text
   * @throws {NodeError} ENCLAVE_REFUSAL: only random ids are decrypted for strangers
   */
  prove(body: Uint8Array): string {
    const payload = decodePayload(body)
    const [recipient] = payload.recipients
    const content = recipient && decryptPayload(payload, this.#options.ring, toBase64(recipient))
    const id = content === undefined ? '' : utf8.decode(content)
    if (!UUID.test(id)) throw refusal(400, 'The content is not an id')
    return id
  }

  async #round(): Promise<void> {
    const { book, timers } = this.#options
    const others = book.urls.filter((url) => url !== this.#url)
    await Promise.all(others.map((url) => this.#poll(url)))
    if (!this.#isClosed) this.#timer = timers.schedule(ENCLAVE_POLL_MS, () => void this.#round())
  }

  async #poll(url: string): Promise<void> {
    const { book, peers, ring } = this.#options
    const ownKeys = ring.names.map((name) => ({ key: ring.publicKey(name), url: this.#url }))
    const body = encodePartyInfo({ url: this.#url, keys: ownKeys, parties: book.isOpen ? book.urls : [] })
    try {
      const answer = await peers.request({ method: 'POST', url: `${url}partyinfo`, contentType: BINARY, body })
      if (answer.status >= 300) throw new Error(`status ${answer.status}`)
      if (!book.hasKeys(url)) await this.#ask(url)
      this.#answered(url)
    } catch (error) {
      this.#failed(url, error)
    }
  }

  /** Asks an enclave for its keys, because it might never poll this one. */
  async #ask(url: string): Promise<void> {
    const { status, body } = await this.#options.peers.request({ method: 'GET', url: `${url}partyinfo` })
    if (status !== 200) return
    const keys = keysIn(utf8.decode(body))
    const verified = await this.#verify(url, keys)
    if (verified.length > 0) this.#learn(url, verified)
  }

  #learn(url: string, names: readonly string[]): void {
    const { book, clock, onParty } = this.#options
    const isNew = !book.hasKeys(url)
    book.setKeys(url, names, clock.monotonic())
    if (isNew) onParty(url)
  }

  /** @returns names of the keys that the enclave has */
  async #verify(url: string, keys: readonly Uint8Array[]): Promise<string[]> {
    const { book, clock } = this.#options
    const now = clock.monotonic()
    const requestedKeys = keys.slice(0, MAX_ENCLAVE_PARTY_KEYS)
    if (requestedKeys.every((key) => book.isFresh(url, toBase64(key), now))) return requestedKeys.map(toBase64)
    if (this.#verifications >= MAX_ENCLAVE_VERIFICATIONS) throw refusal(503, 'Too many keys are being verified')
    this.#verifications++
    try {
      const verified: string[] = []
      for (const key of requestedKeys) {
        const name = toBase64(key)
        // An enclave that does not answer occupies the verification for one timeout only.
        if (!book.isFresh(url, name, now) && !(await this.#hasKey(url, key))) break
        verified.push(name)
      }
      return verified
    } finally {
      this.#verifications--
    }
  }

  async #hasKey(url: string, key: Uint8Array): Promise<boolean> {
    const { ring, random, peers } = this.#options
    const id = newId(random)
    try {
      const payload = encryptPayload(ring, random, { content: text.encode(id), sender: ring.first, recipients: [key] })
      const body = encodePayload(payload)
      const answer = await peers.request({ method: 'POST', url: `${url}partyinfo/validate`, contentType: BINARY, body })
      return answer.status === 200 && utf8.decode(answer.body) === id
    } catch {
      return false
    }
  }

  #answered(url: string): void {
    this.#options.book.answered(url)
    if (this.#away.delete(url)) this.#options.logger.info('an enclave is reachable again', { url })
  }

  #failed(url: string, error: unknown): void {
    if (this.#isClosed) return
    const failures = this.#options.book.failed(url)
    if (failures === 1 && !this.#away.has(url)) {
      this.#options.logger.warn('an enclave is unreachable', { url, reason: (error as Error).message })
    }
    if (this.#options.book.has(url)) this.#away.add(url)
    else this.#away.delete(url)
  }
}

/** The keys of the enclave that gave the description. Any other text has none. */
function keysIn(description: string): Uint8Array[] {
  try {
    const { url, keys } = JSON.parse(description) as { url?: unknown; keys?: unknown }
    if (!Array.isArray(keys)) return []
    return keys.slice(0, MAX_ENCLAVE_PARTY_KEYS).flatMap((item) => {
      const { key, url: place } = item as { key?: unknown; url?: unknown }
      return place === url ? (publicKeyOf(key) ?? []) : []
    })
  } catch {
    return []
  }
}

/** A random UUID, version 4. */
function newId(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytesToHexUnprefixed(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
