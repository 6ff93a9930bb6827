/**
 * The commands that need no chain: `public-key …`, `password hash`, `validate-config`.
 * @see docs/reference/cli-and-config.md section 7
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { validateConfigFile } from '../../../../src/cli/parse.ts'
import type { Output } from '../output.ts'

/** Content of a text file; undefined if it does not exist. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Prints the bytes in hex, or writes them to a file.
 * @param to file name
 */
export function exportHex(bytes: Uint8Array, to: string | undefined, output: Output): void {
  const text = bytesToHex(bytes)
  if (to === undefined) output.printValue(text)
  else writeFileSync(to, text)
}

const BCRYPT_ROUNDS = 10

/**
 * Prints the bcrypt hash of a password, in the `$2a$` form used in credentials files.
 * @throws {NodeError} INVALID_OPTION above 72 bytes, because bcrypt would ignore the rest
 */
export async function hashPassword(password: string, output: Output): Promise<void> {
  const { default: bcrypt } = await import('bcryptjs')
  if (bcrypt.truncates(password)) {
    throw new NodeError({ code: 'INVALID_OPTION' }, "Invalid value for option '--password': longer than 72 bytes")
  }
  output.printValue((await bcrypt.hash(password, BCRYPT_ROUNDS)).replace(/^\$2[by]\$/, '$2a$'))
}

/** @throws {NodeError} INVALID_OPTION naming the faults of the file */
export function validateConfig(file: string | undefined, output: Output): void {
  if (file === undefined) {
    throw new NodeError({ code: 'INVALID_OPTION' }, "Missing required option: '--config-file=FILE'")
  }
  validateConfigFile(file, readText)
  output.print({
    message:
      'TOML config file is valid on basic inspection. Further dependencies between related options are checked when the node starts.',
  })
}
