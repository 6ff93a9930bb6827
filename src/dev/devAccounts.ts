/**
 * Accounts that the dev chain signs for, and accounts that may send without a signature.
 * @module
 */

import { MAX_IMPERSONATED_ACCOUNTS } from '../base/limits/limits.ts'
import { bytesToBigInt, bytesToHexUnprefixed, hexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { signHash } from '../base/primitives/secp256k1.ts'
import { DEV_ACCOUNTS, type DevAccount } from '../config/devGenesis.ts'
import { AccountVault, type VaultPorts } from './accountVault.ts'
import type { DevAccounts, DevSignature } from './contract.ts'

/** Test hosts without a clock and random numbers: accounts do not expire, and none can be created. */
const NO_PORTS: VaultPorts = {
  clock: { monotonic: () => 0 },
  random: {
    bytes: () => {
      throw new NodeError({ code: 'INVALID_PARAMS' }, 'the host has no random numbers')
    },
  },
}

/** The accounts of the dev chain and those that clients add; their keys are held in memory, for development only. */
export class KnownKeyAccounts implements DevAccounts {
  readonly #vault: AccountVault
  readonly #impersonated = new Set<string>()
  /** The last task that waits for each account's nonce. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #impersonatesAllAtStart: boolean
  #impersonatesAll: boolean

  /** @param impersonatesAll at the start, and after all impersonation has been ended */
  constructor(accounts: readonly DevAccount[] = DEV_ACCOUNTS, ports: VaultPorts = NO_PORTS, impersonatesAll = false) {
    this.#vault = new AccountVault(ports)
    this.#impersonatesAllAtStart = impersonatesAll
    this.#impersonatesAll = impersonatesAll
    for (const { address, privateKey } of accounts) {
      this.#vault.addKnown(hexToBytes(address), hexToBytes(privateKey))
    }
  }

  get addresses(): readonly Uint8Array[] {
    return this.#vault.addresses
  }

  get usable(): readonly Uint8Array[] {
    const impersonated = [...this.#impersonated].map(hexToBytes).filter((address) => !this.#vault.has(address))
    return [...this.addresses, ...impersonated]
  }

  hasKey(address: Uint8Array): boolean {
    return this.#vault.privateKey(address) !== undefined
  }

  sign(address: Uint8Array, hash: Uint8Array): DevSignature | undefined {
    const key = this.#vault.privateKey(address)
    if (key === undefined) return undefined
    const { signature, yParity } = signHash(hash, key)
    return { r: bytesToBigInt(signature.subarray(0, 32)), s: bytesToBigInt(signature.subarray(32)), yParity }
  }

  create(passphrase: string): Uint8Array {
    return this.#vault.create(passphrase)
  }

  importKey(privateKey: Uint8Array, passphrase: string): Uint8Array {
    return this.#vault.importKey(privateKey, passphrase)
  }

  addAddress(address: Uint8Array, passphrase: string): boolean {
    return this.#vault.addAddress(address, passphrase)
  }

  removeAccount(address: Uint8Array, passphrase: string): boolean {
    return this.#vault.remove(address, passphrase)
  }

  unlock(address: Uint8Array, passphrase: string, durationMs: number): void {
    this.#vault.unlock(address, passphrase, durationMs)
  }

  withPassphrase<T>(address: Uint8Array, passphrase: string, work: () => Promise<T>): Promise<T> {
    return this.#vault.withPassphrase(address, passphrase, work)
  }

  lock(address: Uint8Array): boolean {
    return this.#vault.lock(address)
  }

  isImpersonated(address: Uint8Array): boolean {
    const key = keyOf(address)
    if (this.#impersonated.has(key) || this.#vault.isUnlockedAddress(address)) return true
    return this.#impersonatesAll && !this.#vault.has(address)
  }

  /** @throws {NodeError} INVALID_PARAMS when there are too many */
  impersonate(address: Uint8Array): void {
    if (this.#impersonated.size >= MAX_IMPERSONATED_ACCOUNTS && !this.#impersonated.has(keyOf(address))) {
      const message = `${MAX_IMPERSONATED_ACCOUNTS} accounts are already impersonated`
      throw new NodeError({ code: 'INVALID_PARAMS' }, message)
    }
    this.#impersonated.add(keyOf(address))
  }

  stopImpersonating(address: Uint8Array): void {
    this.#impersonated.delete(keyOf(address))
  }

  setAutoImpersonate(enabled: boolean): void {
    this.#impersonatesAll = enabled
  }

  endImpersonation(): void {
    this.#impersonated.clear()
    this.#impersonatesAll = this.#impersonatesAllAtStart
  }

  inTurn<T>(address: Uint8Array, work: () => Promise<T>): Promise<T> {
    const key = keyOf(address)
    const before = this.#turns.get(key)
    const done = before === undefined ? work() : before.then(work, work)
    const turn = done
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(key) === turn) this.#turns.delete(key)
      })
    this.#turns.set(key, turn)
    return done
  }
}

function keyOf(address: Uint8Array): string {
  return bytesToHexUnprefixed(address)
}
