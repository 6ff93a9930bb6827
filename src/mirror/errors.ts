/**
 * Errors of mirrors. They name an object, never the address of its store, which may hold a secret.
 * @module
 */
import { MAX_CALL_WAIT_MS } from '../base/limits/limits.ts'
import type { MissRequest } from '../base/ports/keyValueStore.ts'
import { bytesToHex, EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { Column } from '../storage/schema.ts'

const HASH_BYTES = 32

export type MirrorDamagedError = NodeError<{ code: 'MIRROR_DAMAGED'; object: string }>

/** The bytes of an object are not those that its publisher wrote. @param object its name */
export function mirrorDamaged(object: string, reason: string, options?: ErrorOptions): MirrorDamagedError {
  return new NodeError({ code: 'MIRROR_DAMAGED', object }, `${object} of the mirror is damaged: ${reason}`, options)
}

export interface UnavailableDetails {
  readonly code: 'MIRROR_UNAVAILABLE'
  readonly object: string
  /** The store asked to wait for this time. */
  readonly retryAfterMs?: number
  /** Whether the same request may succeed soon. */
  readonly isTransient: boolean
}

export interface Unavailability extends ErrorOptions {
  /** Name of the store, without secrets; default: the mirror */
  readonly store?: string
  readonly retryAfterMs?: number | undefined
  /** Default: false */
  readonly isTransient?: boolean
}

/**
 * The store does not answer, or lacks an object that the mirror needs.
 * @param reason without secrets, the rest of a sentence
 */
export function mirrorUnavailable(
  object: string,
  reason: string,
  { store = 'the mirror', retryAfterMs, isTransient = false, ...rest }: Unavailability = {},
): NodeError<UnavailableDetails> {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  const details: UnavailableDetails = { code: 'MIRROR_UNAVAILABLE', object, isTransient, ...wait }
  return new NodeError(details, `${object} of ${store} is not available: ${reason}`, rest)
}

/** All waits of a call for its data together took too long. @param request the data that it still needs */
export function mirrorWaitsExceeded(request: MissRequest): NodeError<UnavailableDetails> {
  const reason = `the call waited ${MAX_CALL_WAIT_MS / 1000} s in all, and still needs ${datumOf(request)}`
  return mirrorUnavailable('what a call reads', reason)
}

/** The database knows accounts and slots by their hashes. */
function datumOf(request: MissRequest): string {
  const key = (request.kind === 'keys' ? request.keys[0] : undefined) ?? EMPTY_BYTES
  const hash = bytesToHex(key.subarray(1, 1 + HASH_BYTES))
  switch (key[0]) {
    case Column.flatAccount:
      return `the account of hash ${hash}`
    case Column.code:
      return `the code of hash ${hash}`
    case Column.flatStorage:
    case Column.flatIncarnation:
      return `the slot of hash ${bytesToHex(key.slice(-HASH_BYTES))} of the account of hash ${hash}`
    default:
      return 'entries of blocks or of older states'
  }
}

/** The object has a form that this version does not know. */
export function mirrorFormat(
  object: string,
  reason: string,
  options?: ErrorOptions,
): NodeError<{ code: 'MIRROR_FORMAT'; object: string }> {
  return new NodeError({ code: 'MIRROR_FORMAT', object }, `${object} of the mirror cannot be read: ${reason}`, options)
}

/** The object is not signed by the publisher that the reader trusts. */
export function mirrorUnsigned(object: string, reason: string): NodeError<{ code: 'MIRROR_UNSIGNED'; object: string }> {
  return new NodeError({ code: 'MIRROR_UNSIGNED', object }, `${object} of the mirror is not trusted: ${reason}`)
}

export function mirrorOfOtherChain(reason: string): NodeError<{ code: 'MIRROR_OF_OTHER_CHAIN' }> {
  return new NodeError({ code: 'MIRROR_OF_OTHER_CHAIN' }, `the mirror is of another chain: ${reason}`)
}

/** A database is behind the mirror, or the mirror behind its chain. */
export function mirrorBehind(reason: string): NodeError<{ code: 'MIRROR_BEHIND' }> {
  return new NodeError({ code: 'MIRROR_BEHIND' }, reason)
}

/** Another publisher has taken over. */
export function mirrorFenced(reason: string): NodeError<{ code: 'MIRROR_FENCED' }> {
  return new NodeError({ code: 'MIRROR_FENCED' }, reason)
}

/** The seals of a chain cannot be verified from its headers. */
export function sealsUnproven(reason: string): NodeError<{ code: 'SEALS_UNPROVEN' }> {
  return new NodeError({ code: 'SEALS_UNPROVEN' }, `the seals of the chain cannot be verified: ${reason}`)
}

/** A request needs more reads of the store than it may make. */
export function readsExceeded(limit: number): NodeError<{ code: 'READS_EXCEEDED'; limit: number }> {
  return new NodeError(
    { code: 'READS_EXCEEDED', limit },
    `the request needs more than ${limit} reads of the mirror's store`,
  )
}
