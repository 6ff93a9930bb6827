/**
 * Text records of a node list in the DNS.
 * @see EIP-1459; devp2p, dnsdisc.md
 * @module
 */
import { MAX_DNS_TEXT_LENGTH } from '../../../../base/limits/limits.ts'
import { fromBase32, fromBase64Url } from '../../../../base/primitives/baseEncoding.ts'
import { equalBytes } from '../../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../../base/primitives/errors.ts'
import { keccak256 } from '../../../../base/primitives/keccak.ts'
import { compressedKey, decompressedKey, recoverPublicKey } from '../../../../base/primitives/secp256k1.ts'
import { type NodeRecord, parseRecord } from '../nodeRecord.ts'

/** A list and the key that signs it. */
export interface ListLink {
  /** Fully qualified, lower case. */
  readonly domain: string
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array
}

export interface ListRoot {
  /** Names of the trees of records and of links. */
  readonly records: string
  readonly links: string
  readonly seq: bigint
}

export type ListEntry =
  | { readonly kind: 'branch'; readonly children: readonly string[] }
  | { readonly kind: 'record'; readonly record: NodeRecord }
  | { readonly kind: 'link'; readonly link: ListLink }

const URL_FORM = /^enrtree:\/\/([A-Z2-7]{53})@([a-z0-9][a-z0-9.-]{0,199})$/i
const ROOT_FORM = /^enrtree-root:v1 e=([A-Z2-7]+) l=([A-Z2-7]+) seq=(\d{1,20}) sig=([\w-]{86,88})$/
const BRANCH_PREFIX = 'enrtree-branch:'
/** An abbreviated hash must be long enough to identify a text. */
const MIN_HASH_BYTES = 12
const MAX_HASH_BYTES = 32
const SIGNATURE_BYTES = 65

const utf8 = new TextEncoder()

function invalid(reason: string): NodeError<{ code: 'INVALID_NODE_LIST' }> {
  return new NodeError({ code: 'INVALID_NODE_LIST' }, `invalid node list: ${reason}`)
}

/** @throws {NodeError} INVALID_NODE_LIST */
export function parseListUrl(url: string): ListLink {
  const [, key = '', domain = ''] = URL_FORM.exec(url.slice(0, MAX_DNS_TEXT_LENGTH)) ?? []
  const publicKey = fromBase32(key.toUpperCase())
  if (publicKey === undefined || decompressedKey(publicKey) === undefined) {
    throw invalid('the URL is not of the form enrtree://<public key>@<domain>')
  }
  return { domain: domain.toLowerCase(), publicKey }
}

export const isListRoot = (text: string): boolean => text.startsWith('enrtree-root:')

/**
 * Reads and verifies the root of a list.
 * @throws {NodeError} INVALID_NODE_LIST
 */
export function parseListRoot(text: string, { publicKey }: ListLink): ListRoot {
  const [, records = '', links = '', seq = '', sig = ''] = ROOT_FORM.exec(text.slice(0, MAX_DNS_TEXT_LENGTH)) ?? []
  if (!isHashName(records) || !isHashName(links)) throw invalid('the root is not of the form of version 1')
  const signature = fromBase64Url(sig)
  const signedHash = keccak256(utf8.encode(text.slice(0, text.indexOf(' sig='))))
  if (signature === undefined || !isSigned(signedHash, signature, publicKey)) {
    throw invalid('the signature of the root does not match the public key of the URL')
  }
  return { records, links, seq: BigInt(seq) }
}

function isSigned(hash: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const yParity = signature[SIGNATURE_BYTES - 1]
  if (signature.length !== SIGNATURE_BYTES || (yParity !== 0 && yParity !== 1)) return false
  const signer = recoverPublicKey(hash, signature.subarray(0, -1), yParity)
  return signer !== undefined && equalBytes(compressedKey(signer), publicKey)
}

function isHashName(name: string): boolean {
  const bytes = fromBase32(name)
  return bytes !== undefined && bytes.length >= MIN_HASH_BYTES && bytes.length <= MAX_HASH_BYTES
}

/** Whether a text is the one that a name abbreviates. */
export function matchesName(text: string, name: string): boolean {
  const bytes = fromBase32(name)
  return bytes !== undefined && equalBytes(keccak256(utf8.encode(text)).subarray(0, bytes.length), bytes)
}

/** @throws {NodeError} INVALID_NODE_LIST, INVALID_RECORD */
export function parseListEntry(text: string): ListEntry {
  if (text.length > MAX_DNS_TEXT_LENGTH) throw invalid(`an entry of ${text.length} characters`)
  if (text.startsWith('enr:')) return { kind: 'record', record: parseRecord(text) }
  if (text.startsWith('enrtree://')) return { kind: 'link', link: parseListUrl(text) }
  if (!text.startsWith(BRANCH_PREFIX)) throw invalid('an entry of an unknown kind')
  const names = text.slice(BRANCH_PREFIX.length)
  const children = names === '' ? [] : names.split(',')
  if (!children.every(isHashName)) throw invalid('a branch with a name that is not a hash')
  return { kind: 'branch', children }
}

/** @returns the message of an expected error; others are thrown */
export function problemOf(error: unknown): string {
  if (isNodeError(error)) return error.message
  throw error
}
