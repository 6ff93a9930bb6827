/**
 * `mirror.json`: the chain of a mirror and its publisher. Each manifest names its hash, so the signature covers it.
 * @module
 */
import { MAX_MIRROR_IDENTITY_BYTES } from '../../base/limits/limits.ts'
import { bytesToHex, tryHexToBytes } from '../../base/primitives/bytes.ts'
import { mirrorDamaged, mirrorFormat } from '../errors.ts'
import { MIRROR_FORMAT_VERSION } from './manifest.ts'
import { IDENTITY_NAME } from './names.ts'

export interface MirrorIdentity {
  readonly chainId: bigint
  /** 32 bytes */
  readonly genesisHash: Uint8Array
  /** The genesis file as JSON text. */
  readonly genesis: string
  /** Address whose signature counts, 20 bytes. */
  readonly publisher: Uint8Array
}

export function encodeIdentity({ chainId, genesisHash, genesis, publisher }: MirrorIdentity): Uint8Array {
  const text = {
    format: MIRROR_FORMAT_VERSION,
    chainId: String(chainId),
    genesisHash: bytesToHex(genesisHash),
    publisher: bytesToHex(publisher),
    genesis,
  }
  return new TextEncoder().encode(`${JSON.stringify(text)}\n`)
}

/** @throws {NodeError} MIRROR_FORMAT for bytes that are no such file, or a newer one; MIRROR_DAMAGED */
export function decodeIdentity(bytes: Uint8Array): MirrorIdentity {
  if (bytes.length > MAX_MIRROR_IDENTITY_BYTES) throw mirrorDamaged(IDENTITY_NAME, 'it is too long')
  const fields = parsed(bytes)
  if (typeof fields.format !== 'number') throw mirrorFormat(IDENTITY_NAME, 'it is not the description of a mirror')
  if (fields.format !== MIRROR_FORMAT_VERSION) {
    throw mirrorFormat(IDENTITY_NAME, `it has format ${fields.format}, newer than ${MIRROR_FORMAT_VERSION}`)
  }
  return {
    chainId: BigInt(text(fields, 'chainId', /^\d{1,78}$/)),
    genesisHash: hex(fields, 'genesisHash', 32),
    publisher: hex(fields, 'publisher', 20),
    genesis: text(fields, 'genesis', /^/),
  }
}

type Fields = Readonly<Record<string, unknown>>

function parsed(bytes: Uint8Array): Fields {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (cause) {
    throw mirrorFormat(IDENTITY_NAME, 'it is not JSON', { cause })
  }
}

function text(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields[name]
  if (typeof value !== 'string' || !pattern.test(value))
    throw mirrorDamaged(IDENTITY_NAME, `${name} has the wrong form`)
  return value
}

function hex(fields: Fields, name: string, length: number): Uint8Array {
  const bytes = tryHexToBytes(text(fields, name, /^0x/))
  if (bytes?.length !== length) throw mirrorDamaged(IDENTITY_NAME, `${name} has the wrong form`)
  return bytes
}
