/**
 * The accounts that may send transactions, in a file.
 * @see docs/reference/permissioning.md section 3
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { AllowlistControl } from './contract.ts'
import { invalidFile, type PermissionFile } from './permissionFile.ts'
import { StoredList } from './storedList.ts'

const ACCOUNT = /^0x[0-9a-f]{40}$/

export class AccountList implements AllowlistControl {
  readonly #list: StoredList
  readonly #logger: Logger
  #allowed: ReadonlySet<string> = new Set()

  constructor(file: PermissionFile, logger: Logger) {
    this.#list = new StoredList('accounts', file, logger)
    this.#logger = logger
  }

  get entries(): readonly string[] {
    return this.#list.entries
  }

  /** @param address 20 bytes */
  allows(address: Uint8Array): boolean {
    return this.#allowed.has(bytesToHex(address))
  }

  /**
   * @returns the list of the file in normal form, which is not in force yet
   * @throws {NodeError} PERMISSIONS_FILE_INVALID
   */
  read(): readonly string[] {
    return this.#list.read().map((entry) => {
      const account = entry.toLowerCase()
      if (!ACCOUNT.test(account)) throw invalidFile(`Invalid account ${entry}`)
      return account
    })
  }

  /** Puts a list of the file in force and rewrites the file. A list with duplicates counts as empty. */
  load(entries: readonly string[]): void {
    const isValid = new Set(entries).size === entries.length
    if (!isValid) this.#logger.warn('the allowlist of accounts names an account twice: no account is allowed')
    this.#list.load(isValid ? entries : [])
    this.#changed()
    if (isValid && entries.length > 0) this.#list.rewrite()
  }

  add(given: readonly unknown[]): void {
    const added = accounts(given)
    if (added.some((account) => this.#allowed.has(account))) throw refused('EXISTING', 'is in the list')
    this.#list.change([...this.entries, ...added], () => this.#changed())
  }

  remove(given: readonly unknown[]): void {
    const removed = new Set(accounts(given))
    for (const account of removed) if (!this.#allowed.has(account)) throw refused('ABSENT', 'is not in the list')
    const remaining = this.entries.filter((account) => !removed.has(account))
    this.#list.change(remaining, () => this.#changed())
  }

  #changed(): void {
    this.#allowed = new Set(this.entries)
  }
}

function accounts(given: readonly unknown[]): readonly string[] {
  if (given.length === 0) throw refused('EMPTY', 'is needed')
  const entries = given.map((entry) => {
    if (typeof entry !== 'string') throw new NodeError({ code: 'MALFORMED_ACCOUNT' }, 'an account is a string')
    return entry.toLowerCase()
  })
  if (!entries.every((entry) => ACCOUNT.test(entry))) throw refused('INVALID', 'is invalid')
  if (new Set(entries).size < entries.length) throw refused('DUPLICATED', 'is given twice')
  return entries
}

function refused(reason: 'EMPTY' | 'INVALID' | 'DUPLICATED' | 'EXISTING' | 'ABSENT', text: string): NodeError {
  return new NodeError({ code: `ACCOUNT_ALLOWLIST_${reason}_ENTRY` }, `an account ${text}`)
}
