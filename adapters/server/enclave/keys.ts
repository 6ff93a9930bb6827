/**
 * Key files of an enclave.
 * @module
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from '../../../src/base/ports/host.ts'
import { toBase64 } from '../../../src/base/primitives/base64.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { type KeyPair, keyPairOf, newKeyPair } from '../../../src/private/enclave/boxes.ts'
import { encodeKeyFile, readKeyFile } from '../../../src/private/enclave/keyFile.ts'
import { systemRandom } from '../../shared/systemPorts.ts'
import { createFolder } from '../data/createFolder.ts'
import { writePrivateFile } from '../data/privateFile.ts'

/** Folder of the enclave in a data directory. */
export const ENCLAVE_FOLDER = 'enclave'
export const ENCLAVE_KEY_FILE = 'enclave.key'
const OTHERS_MAY_READ = 0o077

export interface KeyFiles {
  readonly files: readonly string[]
  readonly passwordFile: string | undefined
  /** Folder of the key that is generated when there are no files; undefined: it is not stored. */
  readonly directory: string | undefined
  readonly logger: Logger
}

/**
 * Reads the key files of an enclave, or generates its key at its first start.
 * @throws {NodeError} INVALID_OPTION, INVALID_ENCLAVE_KEY_FILE, naming the file; no message contains a secret
 */
export async function loadKeys({ files, passwordFile, directory, logger }: KeyFiles): Promise<KeyPair[]> {
  const passwords = passwordFile === undefined ? [] : linesOf(passwordFile)
  if (files.length === 0) {
    if (directory === undefined) return [newKeyPair(systemRandom)]
    const file = path.join(directory, ENCLAVE_KEY_FILE)
    if (!existsSync(file)) return [await generateKey(file, passwords[0])]
    return [await readKey(file, passwords[0], logger)]
  }
  const pairs: KeyPair[] = []
  for (const [i, file] of files.entries()) pairs.push(await readKey(file, passwords[i], logger))
  return pairs
}

/**
 * Writes a new secret key, and its public key to a file with the ending `.pub`.
 * @param file must not exist
 * @throws {NodeError} INVALID_OPTION
 */
export async function generateKey(file: string, password: string | undefined): Promise<KeyPair> {
  if (existsSync(file)) throw invalid(`${file} exists already`)
  const pair = newKeyPair(systemRandom)
  const content = await encodeKeyFile(pair.secretKey, password, systemRandom)
  try {
    createFolder(path.dirname(file), 0o700)
    writePrivateFile(file, content)
    writeFileSync(publicFileOf(file), toBase64(pair.publicKey))
  } catch (cause) {
    throw invalid(`${file} cannot be written`, cause)
  }
  return pair
}

export function publicFileOf(file: string): string {
  return `${file.replace(/\.key$/, '')}.pub`
}

/** The first line of a password file. */
export function firstPassword(file: string | undefined): string | undefined {
  return file === undefined ? undefined : linesOf(file)[0]
}

async function readKey(file: string, password: string | undefined, logger: Logger): Promise<KeyPair> {
  const content = read(file)
  try {
    const pair = keyPairOf(await readKeyFile(content, password))
    if ((statSync(file).mode & OTHERS_MAY_READ) !== 0 && path.sep === '/') {
      logger.warn('other users can read the secret key of the enclave', { file })
    }
    return pair
  } catch (error) {
    if (!isNodeError(error, 'INVALID_ENCLAVE_KEY_FILE')) throw error
    throw new NodeError(error.details, `cannot use the key of the enclave in ${file}: ${error.message}`)
  }
}

function linesOf(file: string): string[] {
  return read(file).split(/\r?\n/)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw invalid(`${file} cannot be read`, cause)
  }
}

function invalid(message: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message, { cause })
}
