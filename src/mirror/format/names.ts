/**
 * Names of the objects of a mirror.
 * @module
 */
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'

/** Describes the chain, its publisher and the format; created once. */
export const IDENTITY_NAME = 'mirror.json'
/** The number of a recent manifest: a hint. */
export const LATEST_NAME = 'latest'
export const MANIFEST_PREFIX = 'manifests/'
export const LIST_PREFIX = 'lists/'
export const SEGMENT_PREFIX = 'segments/'

const NUMBER_DIGITS = 20
const MANIFEST = /^manifests\/(\d{20})$/

export function manifestName(number: number): string {
  return `${MANIFEST_PREFIX}${String(number).padStart(NUMBER_DIGITS, '0')}`
}

/** @returns undefined for another object */
export function manifestNumber(name: string): number | undefined {
  return safeNumber(MANIFEST.exec(name)?.[1])
}

/** @param hash SHA-256 of the list */
export function listName(hash: Uint8Array): string {
  return LIST_PREFIX + bytesToHexUnprefixed(hash)
}

/** @param hash SHA-256 of the segment */
export function segmentName(hash: Uint8Array): string {
  return SEGMENT_PREFIX + bytesToHexUnprefixed(hash)
}

export function encodeLatest(number: number): Uint8Array {
  return new TextEncoder().encode(String(number))
}

/** @returns undefined for bytes that are no number, because the object is a hint */
export function decodeLatest(bytes: Uint8Array): number | undefined {
  return safeNumber(/^(\d{1,20})\n?$/.exec(new TextDecoder().decode(bytes.subarray(0, NUMBER_DIGITS + 2)))?.[1])
}

function safeNumber(digits: string | undefined): number | undefined {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : undefined
}
