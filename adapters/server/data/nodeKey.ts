/**
 * The node's private key: one line, 0x and 64 hex digits, generated if missing.
 * @module
 */
import { randomFillSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { bytesToHex, tryHexToBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { isPrivateKey } from '../../../src/base/primitives/secp256k1.ts'
import { createFolder } from './createFolder.ts'
import { writePrivateFile } from './privateFile.ts'

export const KEY_FILE = 'key'
const KEY_BYTES = 32

/** @returns 32 bytes */
function newPrivateKey(): Uint8Array {
  for (;;) {
    const key = randomFillSync(new Uint8Array(KEY_BYTES))
    if (isPrivateKey(key)) return key
  }
}

/**
 * Reads the key of a data directory, or generates one that only its owner can read.
 * @param directory undefined: a generated key is not stored
 * @param file replaces `<directory>/key`; must exist
 * @returns 32 bytes
 * @throws {NodeError} INVALID_NODE_KEY; the message never contains the key
 */
export function loadNodeKey(directory: string | undefined, file: string | undefined): Uint8Array {
  if (file !== undefined) return readNodeKey(file) ?? fail(file, 'no such file')
  if (directory === undefined) return newPrivateKey()
  const location = path.join(directory, KEY_FILE)
  return readNodeKey(location) ?? createNodeKey(directory, location)
}

function createNodeKey(directory: string, location: string): Uint8Array {
  const key = newPrivateKey()
  createFolder(directory, 0o700)
  writePrivateFile(location, `${bytesToHex(key)}\n`)
  return key
}

/** @returns undefined if the file does not exist */
function readNodeKey(location: string): Uint8Array | undefined {
  const text = readKeyFile(location)
  if (text === undefined) return undefined
  const key = tryHexToBytes(text.trim())
  return key !== undefined && isPrivateKey(key) ? key : fail(location, 'not a private key of 64 hex digits')
}

function readKeyFile(location: string): string | undefined {
  try {
    return readFileSync(location, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return fail(location, (error as Error).message)
  }
}

function fail(location: string, reason: string): never {
  throw new NodeError({ code: 'INVALID_NODE_KEY' }, `cannot use the node key in ${location}: ${reason}`)
}
