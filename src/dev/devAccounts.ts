/**
 * Accounts that the dev chain signs for, and accounts that may send without a signature.
 * @module
 */
import { DEV_ACCOUNTS, type DevAccount } from '../config/devGenesis.ts'
import { MAX_IMPERSONATED_ACCOUNTS } from '../config/limits.ts'
import { bytesToBigInt, bytesToHexUnprefixed, hexToBytes } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import { signHash } from '../primitives/secp256k1.ts'
import type { DevAccounts, DevSignature } from './contract.ts'

/** Holds publicly known private keys: never pass others. */
export class KnownKeyAccounts implements DevAccounts {
  readonly addresses: readonly Uint8Array[]
  readonly #keys = new Map<string, Uint8Array>()
  readonly #impersonated = new Set<string>()
  /** The last task that waits for each account's nonce. */
  readonly #turns = new Map<string, Promise<unknown>>()
  #impersonatesAll = false

  constructor(accounts: readonly DevAccount[] = DEV_ACCOUNTS) {
    this.addresses = accounts.map(({ address }) => hexToBytes(address))
    for (const { address, privateKey } of accounts) {
      this.#keys.set(keyOf(hexToBytes(address)), hexToBytes(privateKey))
    }
  }

  get usable(): readonly Uint8Array[] {
    const impersonated = [...this.#impersonated].filter((key) => !this.#keys.has(key))
    return [...this.addresses, ...impersonated.map(hexToBytes)]
  }

  sign(address: Uint8Array, hash: Uint8Array): DevSignature | undefined {
    const key = this.#keys.get(keyOf(address))
    if (key === undefined) return undefined
    const { signature, yParity } = signHash(hash, key)
    return { r: bytesToBigInt(signature.subarray(0, 32)), s: bytesToBigInt(signature.subarray(32)), yParity }
  }

  isImpersonated(address: Uint8Array): boolean {
    const key = keyOf(address)
    return this.#impersonated.has(key) || (this.#impersonatesAll && !this.#keys.has(key))
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
    this.#impersonatesAll = false
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
