/**
 * Accounts of the dev chain with their keys and locks, in memory only.
 * @module
 */
import { MAX_ADDED_ACCOUNTS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { publicKeyOf, publicKeyToAddress } from '../base/primitives/secp256k1.ts'

export interface VaultPorts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: Random
}

interface Entry {
  readonly address: Uint8Array
  /** undefined: an account without its key */
  readonly privateKey: Uint8Array | undefined
  /** keccak256 */
  readonly passphraseHash: Uint8Array
  readonly isAdded: boolean
  /** Monotonic milliseconds; Infinity: unlocked until it is locked. */
  unlockedUntilMs: number
}

const KEY_BYTES = 32
const LOCKED = Number.NEGATIVE_INFINITY

export class AccountVault {
  readonly #ports: VaultPorts
  /** By address in hex, in the order in which they were added. */
  readonly #entries = new Map<string, Entry>()
  #addedCount = 0

  constructor(ports: VaultPorts) {
    this.#ports = ports
  }

  get addresses(): readonly Uint8Array[] {
    return [...this.#entries.values()].map(({ address }) => address)
  }

  /** Adds a well-known account, which is unlocked and has an empty passphrase. */
  addKnown(address: Uint8Array, privateKey: Uint8Array): void {
    const passphraseHash = hashOf('')
    const entry = { address, privateKey, passphraseHash, isAdded: false, unlockedUntilMs: Number.POSITIVE_INFINITY }
    this.#entries.set(keyOf(address), entry)
  }

  create(passphrase: string): Uint8Array {
    // A random number is an invalid key with a probability of 2^-128.
    return this.importKey(this.#ports.random.bytes(KEY_BYTES), passphrase)
  }

  importKey(privateKey: Uint8Array, passphrase: string): Uint8Array {
    const address = privateKey.length === KEY_BYTES ? addressOfKey(privateKey) : undefined
    if (address === undefined) throw invalid('not a private key')
    if (!this.#add(address, privateKey.slice(), passphrase)) throw invalid('account already exists')
    return address
  }

  addAddress(address: Uint8Array, passphrase: string): boolean {
    return this.#add(address, undefined, passphrase)
  }

  remove(address: Uint8Array, passphrase: string): boolean {
    const entry = this.#entries.get(keyOf(address))
    if (entry?.isAdded !== true) return false
    checkPassphrase(entry, passphrase)
    this.#entries.delete(keyOf(address))
    this.#addedCount--
    return true
  }

  /** @returns undefined when the account is unknown or its key is not in the vault; @throws {NodeError} ACCOUNT_LOCKED */
  privateKey(address: Uint8Array): Uint8Array | undefined {
    const entry = this.#entries.get(keyOf(address))
    if (entry?.privateKey === undefined) return undefined
    if (!this.#isUnlocked(entry)) throw locked()
    return entry.privateKey
  }

  has(address: Uint8Array): boolean {
    return this.#entries.has(keyOf(address))
  }

  /** Whether the account was added without its key and is unlocked. */
  isUnlockedAddress(address: Uint8Array): boolean {
    const entry = this.#entries.get(keyOf(address))
    return entry !== undefined && entry.privateKey === undefined && this.#isUnlocked(entry)
  }

  unlock(address: Uint8Array, passphrase: string, durationMs: number): void {
    const entry = this.#required(address)
    checkPassphrase(entry, passphrase)
    entry.unlockedUntilMs = this.#ports.clock.monotonic() + durationMs
  }

  async withPassphrase<T>(address: Uint8Array, passphrase: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#required(address)
    checkPassphrase(entry, passphrase)
    const before = entry.unlockedUntilMs
    entry.unlockedUntilMs = Number.POSITIVE_INFINITY
    try {
      return await work()
    } finally {
      entry.unlockedUntilMs = before
    }
  }

  lock(address: Uint8Array): boolean {
    const entry = this.#entries.get(keyOf(address))
    if (entry === undefined) return false
    entry.unlockedUntilMs = LOCKED
    return true
  }

  #add(address: Uint8Array, privateKey: Uint8Array | undefined, passphrase: string): boolean {
    if (this.#entries.has(keyOf(address))) return false
    if (this.#addedCount >= MAX_ADDED_ACCOUNTS) throw invalid(`${MAX_ADDED_ACCOUNTS} accounts were already added`)
    const passphraseHash = hashOf(passphrase)
    this.#entries.set(keyOf(address), { address, privateKey, passphraseHash, isAdded: true, unlockedUntilMs: LOCKED })
    this.#addedCount++
    return true
  }

  #required(address: Uint8Array): Entry {
    const entry = this.#entries.get(keyOf(address))
    if (entry === undefined) throw new NodeError({ code: 'UNKNOWN_ACCOUNT' }, 'unknown account')
    return entry
  }

  #isUnlocked({ unlockedUntilMs }: Entry): boolean {
    return unlockedUntilMs === Number.POSITIVE_INFINITY || this.#ports.clock.monotonic() < unlockedUntilMs
  }
}

/** @returns undefined for an invalid key */
function addressOfKey(privateKey: Uint8Array): Uint8Array | undefined {
  try {
    return publicKeyToAddress(publicKeyOf(privateKey))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function checkPassphrase({ passphraseHash }: Entry, passphrase: string): void {
  if (equalBytes(passphraseHash, hashOf(passphrase))) return
  throw new NodeError({ code: 'WRONG_PASSPHRASE' }, 'could not decrypt key with given password')
}

function locked(): NodeError {
  return new NodeError({ code: 'ACCOUNT_LOCKED' }, 'authentication needed: password or unlock')
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_PARAMS' }, message)
}

function hashOf(passphrase: string): Uint8Array {
  return keccak256(new TextEncoder().encode(passphrase))
}

function keyOf(address: Uint8Array): string {
  return bytesToHexUnprefixed(address)
}
