/**
 * The users of an endpoint, in a TOML file with one table `[Users.<name>]` for each.
 * @module
 */
import { parse } from 'smol-toml'
import { NodeError } from '../../base/primitives/errors.ts'

export interface User {
  readonly name: string
  /** bcrypt */
  readonly passwordHash: string
  readonly permissions: readonly string[]
  readonly privacyPublicKey: string | undefined
}

const HASH = /^\$2[aby]?\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/
const NOT_PARSED = 'An error occurred while parsing the specified RPC authentication configuration file.'
const INVALID_VALUES = 'RPC authentication configuration file contains invalid values.'

/** @throws {NodeError} INVALID_OPTION naming the user and the value, but no hash */
export function parseCredentials(text: string): ReadonlyMap<string, User> {
  const { Users: tables } = parseTable(text)
  if (tables === undefined) return new Map()
  if (!isTable(tables)) throw invalid(`${INVALID_VALUES} Users is not a table.`)
  return new Map(Object.entries(tables).map(([name, table]) => [name, readUser(name, table)]))
}

/** The parser's message quotes lines of the file, so it is dropped. */
function parseTable(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch {
    throw invalid(NOT_PARSED)
  }
}

function readUser(name: string, table: unknown): User {
  if (!isTable(table)) throw invalid(`${INVALID_VALUES} Users.${name} is not a table.`)
  const { password, privacyPublicKey, ...lists } = table
  if (typeof password !== 'string' || password === '') {
    throw invalid(`RPC user specified without password. User: ${name}.`)
  }
  if (!HASH.test(password)) throw invalid(`${INVALID_VALUES} The password of ${name} is not a bcrypt hash.`)
  if (privacyPublicKey !== undefined && (typeof privacyPublicKey !== 'string' || privacyPublicKey === '')) {
    throw invalid(`${INVALID_VALUES} privacyPublicKey of ${name} is not a text.`)
  }
  for (const [key, value] of Object.entries(lists)) {
    if (!isTextList(value)) throw invalid(`${INVALID_VALUES} ${key} of ${name} is not a list of texts.`)
  }
  return { name, passwordHash: password, permissions: (lists['permissions'] as string[]) ?? [], privacyPublicKey }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
