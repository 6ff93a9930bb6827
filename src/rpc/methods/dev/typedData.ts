/**
 * EIP-712: hashes of typed structured data, as eth_signTypedData_v4 signs them.
 * @module
 */

import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { MAX_TYPED_DATA_TYPES } from '../../../base/limits/limits.ts'
import {
  bigIntToBytesPadded,
  concatBytes,
  hasHexPrefix,
  padLeft,
  tryHexToBytes,
  ZERO_WORD,
} from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { byteCount, described } from '../../../base/primitives/printable.ts'
import { asObject, isObject, type JsonObject, parameterCodec } from '../../codecs/support.ts'
import { parseJson } from '../../jsonText.ts'
import type { Codec } from '../../method.ts'

interface Field {
  readonly name: string
  readonly type: string
}

type StructTypes = ReadonlyMap<string, readonly Field[]>

export interface TypedData {
  readonly types: StructTypes
  readonly primaryType: string
  readonly domain: JsonObject
  readonly message: JsonObject
}

const PREFIX = Uint8Array.of(0x19, 0x01)
const DOMAIN = 'EIP712Domain'

/** Members that a domain may have, in the order of the standard. */
const DOMAIN_FIELDS: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

const encoder = new TextEncoder()

/** An object, or its JSON text. Members of the message that its type does not define are ignored. */
export const typedData: Codec<TypedData> = parameterCodec(
  {
    title: 'TypedData',
    type: 'object',
    properties: {
      types: { type: 'object' },
      primaryType: { type: 'string' },
      domain: { type: 'object' },
      message: { type: 'object' },
    },
    required: ['types', 'primaryType', 'domain', 'message'],
  },
  (value) => {
    const fields = asObject(typeof value === 'string' ? parseJson(value)?.value : value, 'typed data')
    const domain = asObject(fields['domain'], 'domain')
    const { primaryType } = fields
    if (typeof primaryType !== 'string') throw unexpectedValue('a string', described(primaryType), 'primaryType')
    const types = structTypes(asObject(fields['types'], 'types'), domain)
    if (!types.has(primaryType)) throw invalidParams(`primaryType: the type ${shown(primaryType)} is not defined`)
    return { types, primaryType, domain, message: asObject(fields['message'], 'message') }
  },
)

/**
 * Returns the hash that is signed, 32 bytes.
 * @throws {NodeError} INVALID_PARAMS when the data does not match its types
 */
export function typedDataHash({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const hasher = new StructHasher(types)
  const parts = [PREFIX, hasher.hash(DOMAIN, domain, 'domain')]
  if (primaryType !== DOMAIN) parts.push(hasher.hash(primaryType, message, 'message'))
  return keccak256(concatBytes(...parts))
}

function structTypes(given: JsonObject, domain: JsonObject): StructTypes {
  const names = Object.keys(given)
  if (names.length > MAX_TYPED_DATA_TYPES)
    throw unexpectedValue(`at most ${MAX_TYPED_DATA_TYPES}`, String(names.length), 'types')
  const types = new Map(names.map((name) => [name, fieldsOf(name, given[name])]))
  if (types.has(DOMAIN)) return types
  // Without a type of the domain, its type consists of the members that it has.
  const domainFields = DOMAIN_FIELDS.filter(({ name }) => domain[name] != null)
  return types.set(DOMAIN, domainFields)
}

function fieldsOf(name: string, given: unknown): Field[] {
  if (!Array.isArray(given)) throw unexpectedValue('an array', described(given), `types: ${shown(name)}`)
  return given.map((field: unknown) => {
    if (!isObject(field) || typeof field['name'] !== 'string' || typeof field['type'] !== 'string') {
      throw invalidParams(`types: ${shown(name)}: each field needs a name and a type`)
    }
    return { name: field['name'], type: field['type'] }
  })
}

class StructHasher {
  readonly #types: StructTypes
  readonly #typeHashes = new Map<string, Uint8Array>()

  constructor(types: StructTypes) {
    this.#types = types
  }

  /** hashStruct of the standard. `path` names the value in errors. */
  hash(type: string, value: unknown, path: string): Uint8Array {
    if (!isObject(value)) throw unexpectedValue('an object', described(value), path)
    const words = [this.#typeHash(type)]
    for (const { name, type: fieldType } of this.#types.get(type) ?? []) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      words.push(this.#word(fieldType, member, `${path}.${shown(name)}`))
    }
    return keccak256(joinWords(words))
  }

  /** encodeData of one member, 32 bytes. */
  #word(type: string, value: unknown, path: string): Uint8Array {
    if (type.endsWith(']')) return this.#array(type, value, path)
    // A missing struct is zero, as in v4 of wallets: otherwise a recursive type could not end.
    if (this.#types.has(type)) return value == null ? ZERO_WORD : this.hash(type, value, path)
    return atomicWord(type, value, path)
  }

  #array(type: string, value: unknown, path: string): Uint8Array {
    const open = type.lastIndexOf('[')
    const length = type.slice(open + 1, -1)
    if (open < 1 || !/^(?:[1-9][0-9]{0,8})?$/.test(length)) throw invalidParams(`${path}: no such type: ${shown(type)}`)
    if (!Array.isArray(value)) throw unexpectedValue('an array', described(value), path)
    if (length !== '' && value.length !== Number(length)) {
      throw unexpectedValue(`${length} items`, String(value.length), path)
    }
    const itemType = type.slice(0, open)
    return keccak256(joinWords(value.map((item, index) => this.#word(itemType, item, `${path}[${index}]`))))
  }

  #typeHash(type: string): Uint8Array {
    let hash = this.#typeHashes.get(type)
    if (hash === undefined) {
      hash = keccak256(encoder.encode(this.#encodeType(type)))
      this.#typeHashes.set(type, hash)
    }
    return hash
  }

  /** The type itself, then all types that it references, sorted by name. */
  #encodeType(primary: string): string {
    const typeNames = new Set([primary])
    for (const type of typeNames) {
      for (const field of this.#types.get(type) ?? []) {
        const open = field.type.indexOf('[')
        const base = open < 0 ? field.type : field.type.slice(0, open)
        if (this.#types.has(base)) typeNames.add(base)
      }
    }
    typeNames.delete(primary)
    return [primary, ...[...typeNames].sort()]
      .map(
        (type) => `${type}(${(this.#types.get(type) ?? []).map((field) => `${field.type} ${field.name}`).join(',')})`,
      )
      .join('')
  }
}

/** The words may be too many to pass as arguments. */
function joinWords(words: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(32 * words.length)
  for (const [index, word] of words.entries()) joined.set(word, 32 * index)
  return joined
}

function atomicWord(type: string, value: unknown, path: string): Uint8Array {
  if (type === 'string') {
    if (typeof value !== 'string') throw unexpectedValue('a string', described(value), path)
    return keccak256(encoder.encode(value))
  }
  if (type === 'bytes') return keccak256(bytesOf(value, path))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw unexpectedValue('true or false', described(value), path)
    return bigIntToBytesPadded(value ? 1n : 0n, 32)
  }
  if (type === 'address') return padLeft(sized(value, 20, path), 32)
  const [, kind, size] = /^(u?int|bytes)([1-9][0-9]{0,2})?$/.exec(type) ?? []
  if (kind === undefined) throw invalidParams(`${path}: no such type: ${shown(type)}`)
  if (kind !== 'bytes') return integerWord(kind === 'int', Number(size ?? 256), value, path)
  if (Number(size) > 32) throw invalidParams(`${path}: no such type: ${shown(type)}`)
  return concatBytes(sized(value, Number(size), path), ZERO_WORD).subarray(0, 32)
}

function integerWord(isSigned: boolean, bits: number, value: unknown, path: string): Uint8Array {
  if (bits > 256 || bits % 8 !== 0) throw invalidParams(`${path}: there are no integers of ${bits} bits`)
  const number = integerOf(value, path)
  const wrapped = isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)
  if (wrapped !== number) throw unexpectedValue(`${isSigned ? 'an int' : 'a uint'}${bits}`, described(value), path)
  return bigIntToBytesPadded(BigInt.asUintN(256, number), 32)
}

/** A number, or text in decimal or hex; both may be negative. */
function integerOf(value: unknown, path: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?(?:[0-9]{1,78}|0x[0-9a-f]{1,64})$/i.test(value)) {
    return value.startsWith('-') ? -BigInt(value.slice(1)) : BigInt(value)
  }
  throw unexpectedValue('an integer', described(value), path)
}

function bytesOf(value: unknown, path: string): Uint8Array {
  const bytes = typeof value === 'string' && hasHexPrefix(value) ? tryHexToBytes(value) : undefined
  if (bytes === undefined) throw unexpectedValue('0x and hex of whole bytes', described(value), path)
  return bytes
}

function sized(value: unknown, length: number, path: string): Uint8Array {
  const bytes = bytesOf(value, path)
  if (bytes.length !== length) throw unexpectedValue(byteCount(length), byteCount(bytes.length), path)
  return bytes
}

/** Names are the client's input: only their beginning is repeated. */
function shown(name: string): string {
  return name.slice(0, 100)
}
