import { ENCLAVE_KEY_TTL_MS, MAX_ENCLAVE_PARTIES, MAX_ENCLAVE_POLL_FAILURES } from '../../base/limits/limits.ts'

interface Party {
  readonly isConfigured: boolean
  /** Names of verified keys → monotonic time of the verification, ms. */
  keys: ReadonlyMap<string, number>
  failures: number
}

/** The enclaves that this one knows, with their verified keys. URLs have the form of `enclaveUrl`. */
export class PartyBook {
  readonly #parties = new Map<string, Party>()
  readonly #urls = new Map<string, string>()
  /** Whether enclaves other than the configured ones may join. */
  readonly isOpen: boolean

  constructor(configured: readonly string[], isOpen: boolean) {
    this.isOpen = isOpen
    for (const url of configured) this.#parties.set(url, { isConfigured: true, keys: new Map(), failures: 0 })
  }

  get urls(): readonly string[] {
    return [...this.#parties.keys()]
  }

  /** Keys with their URLs. */
  get keys(): ReadonlyMap<string, string> {
    return this.#urls
  }

  has(url: string): boolean {
    return this.#parties.has(url)
  }

  /** URL of the enclave that has a key. */
  urlOf(name: string): string | undefined {
    return this.#urls.get(name)
  }

  hasKeys(url: string): boolean {
    return (this.#parties.get(url)?.keys.size ?? 0) > 0
  }

  /** Whether a key belongs to a configured enclave. */
  isConfigured(name: string): boolean {
    const url = this.#urls.get(name)
    return url !== undefined && this.#parties.get(url)?.isConfigured === true
  }

  /** @returns whether the enclave is in the book, whose size is bounded */
  add(url: string): boolean {
    if (this.#parties.has(url)) return true
    if (!this.isOpen || this.#parties.size >= MAX_ENCLAVE_PARTIES) return false
    this.#parties.set(url, { isConfigured: false, keys: new Map(), failures: 0 })
    return true
  }

  isFresh(url: string, name: string, nowMs: number): boolean {
    const at = this.#parties.get(url)?.keys.get(name)
    return at !== undefined && nowMs - at < ENCLAVE_KEY_TTL_MS
  }

  /**
   * Replaces the keys of an enclave. A key that another enclave already claims stays with that enclave, unless only the
   * new claimant is configured. Otherwise an enclave could attract payloads by relaying the verification of their key.
   * @param names verified at `nowMs`, or fresh
   */
  setKeys(url: string, names: readonly string[], nowMs: number): void {
    const party = this.#parties.get(url)
    if (party === undefined) return
    const before = party.keys
    party.keys = new Map(
      names.map((name) => [name, this.isFresh(url, name, nowMs) ? (before.get(name) as number) : nowMs]),
    )
    for (const name of before.keys()) if (!party.keys.has(name)) this.#release(name, url)
    for (const name of names) {
      const holder = this.#urls.get(name)
      const isTaken = holder !== undefined && (!party.isConfigured || this.isConfigured(name))
      if (!isTaken) this.#urls.set(name, url)
    }
  }

  answered(url: string): void {
    const party = this.#parties.get(url)
    if (party !== undefined) party.failures = 0
  }

  /** @returns number of failures in a row, this one included */
  failed(url: string): number {
    const party = this.#parties.get(url)
    if (party === undefined) return 0
    party.failures++
    if (!party.isConfigured && party.failures >= MAX_ENCLAVE_POLL_FAILURES) this.#forget(url, party)
    return party.failures
  }

  #forget(url: string, party: Party): void {
    this.#parties.delete(url)
    for (const name of party.keys.keys()) this.#release(name, url)
  }

  /** Another enclave that has verified the same key replaces it. */
  #release(name: string, url: string): void {
    if (this.#urls.get(name) !== url) return
    this.#urls.delete(name)
    for (const [other, { keys }] of this.#parties) {
      if (other === url || !keys.has(name)) continue
      this.#urls.set(name, other)
      return
    }
  }
}
