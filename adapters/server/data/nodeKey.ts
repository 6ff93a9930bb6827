/**
 * Private keys in files: one line, 0x and 64 hex digits, generated if missing.
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
export const MIRROR_KEY_FILE = 'mirror.key'
const KEY_BYTES = 32

/** A key of a node. */
interface KeyKind {
  readonly name: string
  /** In the data directory. */
  readonly file: string
  readonly code: 'INVALID_NODE_KEY' | 'INVALID_OPTION'
}

const NODE: KeyKind = { name: 'node key', file: KEY_FILE, code: 'INVALID_NODE_KEY' }
const MIRROR: KeyKind = { name: 'mirror key', file: MIRROR_KEY_FILE, code: 'INVALID_OPTION' }

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
  return file === undefined && directory === undefined ? newPrivateKey() : loadKey(NODE, directory ?? '', file)
}

/**
 * Reads the key that signs a mirror, or generates it.
 * @param file replaces `<directory>/mirror.key`; must exist
 * @returns 32 bytes
 * @throws {NodeError} INVALID_OPTION; the message never contains the key
 */
export function loadMirrorKey(directory: string, file: string | undefined): Uint8Array {
  return loadKey(MIRROR, directory, file)
}

function loadKey(kind: KeyKind, directory: string, file: string | undefined): Uint8Array {
  if (file !== undefined) return readKey(kind, file) ?? fail(kind, file, 'no such file')
  const location = path.join(directory, kind.file)
  return readKey(kind, location) ?? createKey(directory, location)
}

function createKey(directory: string, location: string): Uint8Array {
  const key = newPrivateKey()
  createFolder(directory, 0o700)
  writePrivateFile(location, `${bytesToHex(key)}\n`)
  return key
}

/** @returns undefined if the file does not exist */
function readKey(kind: KeyKind, location: string): Uint8Array | undefined {
  const text = readKeyFile(kind, location)
  if (text === undefined) return undefined
  const key = tryHexToBytes(text.trim())
  return key !== undefined && isPrivateKey(key) ? key : fail(kind, location, 'not a private key of 64 hex digits')
}

function readKeyFile(kind: KeyKind, location: string): string | undefined {
  try {
    return readFileSync(location, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return fail(kind, location, (error as Error).message)
  }
}

function fail({ name, code }: KeyKind, location: string, reason: string): never {
  throw new NodeError({ code }, `cannot use the ${name} in ${location}: ${reason}`)
}
