/**
 * An allowlist in memory and in its file.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { ListName, PermissionFile } from './permissionFile.ts'

export class StoredList {
  readonly #name: ListName
  readonly #file: PermissionFile
  readonly #logger: Logger
  #entries: readonly string[] = []

  constructor(name: ListName, file: PermissionFile, logger: Logger) {
    this.#name = name
    this.#file = file
    this.#logger = logger
  }

  get entries(): readonly string[] {
    return this.#entries
  }

  /** @throws {NodeError} PERMISSIONS_FILE_INVALID */
  read(): readonly string[] {
    return this.#file.read(this.#name)
  }

  /** Takes over a list that was read from the file. */
  load(entries: readonly string[]): void {
    this.#entries = entries
  }

  /** Writes the list in its normal form. The list is in force even if that fails. */
  rewrite(): void {
    const outcome = this.#file.store(this.#name, [], this.#entries)
    if (outcome !== 'stored') this.#logger.warn(`the file with the allowlist of ${this.#name} was not rewritten`)
  }

  /**
   * @param apply called when the list has changed
   * @throws {NodeError} ALLOWLIST_PERSIST_FAILURE: the list has not changed; ALLOWLIST_FILE_SYNC: only the file has not
   */
  change(entries: readonly string[], apply: () => void): void {
    const outcome = this.#file.store(this.#name, this.#entries, entries)
    if (outcome === 'failed') {
      throw new NodeError({ code: 'ALLOWLIST_PERSIST_FAILURE' }, 'the file of the allowlist cannot be written')
    }
    this.#entries = entries
    apply()
    if (outcome === 'stored') return
    throw new NodeError({ code: 'ALLOWLIST_FILE_SYNC' }, 'the file lacks entries of the allowlist and was not changed')
  }
}
