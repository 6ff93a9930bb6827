/**
 * Files with a secret key, in Tessera's form: JSON with the key itself, or with the key in a box. The box is locked
 * with a key that Argon2 derives from a password.
 * @module
 */
import { argon2dAsync, argon2iAsync, argon2idAsync } from '@noble/hashes/argon2.js'
import { MAX_ENCLAVE_KDF_KIB } from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { KEY_BYTES, NONCE_BYTES, openBox, sealBox } from './boxes.ts'

interface Argon2Options {
  readonly variant: string
  /** KiB */
  readonly memory: number
  readonly iterations: number
  readonly parallelism: number
}

const VARIANTS = { id: argon2idAsync, i: argon2iAsync, d: argon2dAsync } as const
/** About half a second of one core. */
const NEW_FILES: Argon2Options = { variant: 'id', memory: 46 * 1024, iterations: 2, parallelism: 1 }
const SALT_BYTES = 32
const MAX_ITERATIONS = 100
const MAX_PARALLELISM = 64

const utf8 = new TextEncoder()

/**
 * @param secretKey 32 bytes
 * @param password undefined or empty: the file contains the key itself
 */
export async function encodeKeyFile(
  secretKey: Uint8Array,
  password: string | undefined,
  random: Random,
): Promise<string> {
  if (password === undefined || password === '') {
    return text({ type: 'unlocked', data: { bytes: toBase64(secretKey) } })
  }
  const [salt, nonce] = [random.bytes(SALT_BYTES), random.bytes(NONCE_BYTES)]
  const sbox = sealBox(await derive(password, salt, NEW_FILES), nonce, secretKey)
  const data = { aopts: NEW_FILES, snonce: toBase64(nonce), asalt: toBase64(salt), sbox: toBase64(sbox) }
  return text({ type: 'argon2sbox', data })
}

/**
 * @param content of a secret key's file
 * @returns 32 bytes
 * @throws {NodeError} INVALID_ENCLAVE_KEY_FILE; no message contains a part of the key or the password
 */
export async function readKeyFile(content: string, password: string | undefined): Promise<Uint8Array> {
  const { type, data } = record(parse(content))
  const fields = record(data)
  if (type === 'unlocked') return binary(fields['bytes'], KEY_BYTES)
  if (type !== 'argon2sbox') throw invalid("the type is neither 'unlocked' nor 'argon2sbox'")
  if (password === undefined || password === '') throw invalid('it needs a password')
  const salt = typeof fields['asalt'] === 'string' ? fromBase64(fields['asalt']) : undefined
  if (salt === undefined || salt.length < 8) throw invalid('the salt is not valid')
  const nonce = binary(fields['snonce'], NONCE_BYTES)
  const box = typeof fields['sbox'] === 'string' ? fromBase64(fields['sbox']) : undefined
  const key = box && openBox(await derive(password, salt, argon2Options(fields['aopts'])), nonce, box)
  if (key?.length !== KEY_BYTES) throw invalid('the password is wrong')
  return key
}

function derive(password: string, salt: Uint8Array, options: Argon2Options): Promise<Uint8Array> {
  const { variant, memory, iterations, parallelism } = options
  const hash = VARIANTS[variant as keyof typeof VARIANTS]
  return hash(utf8.encode(password), salt, { t: iterations, m: memory, p: parallelism, dkLen: KEY_BYTES })
}

function argon2Options(value: unknown): Argon2Options {
  const { variant, memory, iterations, parallelism } = record(value)
  const isWithin = (number: unknown, max: number): number is number =>
    Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) <= max
  if (
    typeof variant !== 'string' ||
    !Object.hasOwn(VARIANTS, variant) ||
    !isWithin(memory, MAX_ENCLAVE_KDF_KIB) ||
    !isWithin(iterations, MAX_ITERATIONS) ||
    !isWithin(parallelism, MAX_PARALLELISM)
  ) {
    throw invalid('the options of Argon2 are not valid')
  }
  return { variant, memory, iterations, parallelism }
}

function binary(value: unknown, length: number): Uint8Array {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined
  if (bytes?.length !== length) throw invalid(`a field is not the Base64 of ${length} bytes`)
  return bytes
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    // Without the cause, which quotes the content.
    throw invalid('it is not JSON')
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw invalid('an object is missing')
}

function text(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function invalid(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_ENCLAVE_KEY_FILE' }, reason)
}
