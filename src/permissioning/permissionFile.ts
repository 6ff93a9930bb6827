/**
 * A file with allowlists: TOML with arrays of strings at the top level. A change rewrites the whole file; comments and
 * other keys are lost.
 * @see docs/reference/permissioning.md section 2
 * @module
 */
import { parse, TomlError } from 'smol-toml'
import type { PermissionFiles } from '../base/ports/permissionFiles.ts'
import { NodeError } from '../base/primitives/errors.ts'

export type ListName = 'accounts' | 'nodes'

const KEYS: Readonly<Record<ListName, string>> = { accounts: 'accounts-allowlist', nodes: 'nodes-allowlist' }
/** Still read; never written. */
const OLD_KEYS: Readonly<Record<ListName, string>> = { accounts: 'accounts-whitelist', nodes: 'nodes-whitelist' }
const OTHER: Readonly<Record<ListName, ListName>> = { accounts: 'nodes', nodes: 'accounts' }

/**
 * - `stored`: the file has the new list
 * - `differs`: the file lacks an entry of the old list; nothing was written
 * - `failed`: the file cannot be read or written
 */
export type StoreOutcome = 'stored' | 'differs' | 'failed'

export class PermissionFile {
  readonly #files: PermissionFiles
  readonly #path: string

  constructor(files: PermissionFiles, path: string) {
    this.#files = files
    this.#path = path
  }

  /** @throws {NodeError} PERMISSIONS_FILE_INVALID naming the file and the reason */
  read(list: ListName): readonly string[] {
    let text: string
    try {
      text = this.#files.read(this.#path)
    } catch (error) {
      throw invalidFile(`Unable to read permissioning TOML config file : ${this.#path} ${reasonOf(error)}`)
    }
    const values = valuesOf(this.#parse(text), list)
    if (values === undefined) throw invalidFile(`${KEYS[list]} config option missing in TOML config file ${this.#path}`)
    if (!isTextList(values)) throw invalidFile(`${KEYS[list]} is not an array of strings in ${this.#path}`)
    return values
  }

  /**
   * Writes a list; the other list of the file remains.
   * @param before entries that the file must have already
   */
  store(list: ListName, before: readonly string[], after: readonly string[]): StoreOutcome {
    let text: string
    let table: Record<string, unknown>
    try {
      text = this.#files.read(this.#path)
      table = this.#parse(text)
    } catch (error) {
      return error instanceof NodeError ? 'differs' : 'failed'
    }
    const present = new Set(asTextList(valuesOf(table, list)))
    const other = valuesOf(table, OTHER[list])
    if (!before.every((entry) => present.has(entry)) || (other !== undefined && !isTextList(other))) return 'differs'
    const lines = [...(other === undefined ? [] : [line(OTHER[list], other)]), line(list, after)].join('\n')
    try {
      if (lines !== text) this.#files.replace(this.#path, lines)
      return 'stored'
    } catch {
      return 'failed'
    }
  }

  /** @throws {NodeError} PERMISSIONS_FILE_INVALID */
  #parse(text: string): Record<string, unknown> {
    const about = `Unable to read permissioning TOML config file : ${this.#path}`
    if (text.trim() === '') throw invalidFile(`${about} Empty TOML result: `)
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      const [reason] = error.message.split('\n')
      throw invalidFile(`${about} ${reason} (line ${error.line}, column ${error.column})`)
    }
  }
}

/** A fault that prevents the start. */
export function invalidFile(message: string): NodeError {
  return new NodeError({ code: 'PERMISSIONS_FILE_INVALID' }, message)
}

function valuesOf(table: Readonly<Record<string, unknown>>, list: ListName): unknown {
  return table[KEYS[list]] ?? table[OLD_KEYS[list]]
}

function isTextList(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}

function asTextList(values: unknown): readonly string[] {
  return isTextList(values) ? values : []
}

/** Escapes of JSON are escapes of TOML. */
function line(list: ListName, values: readonly string[]): string {
  return `${KEYS[list]}=[${values.map((value) => JSON.stringify(value)).join(',')}]`
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
