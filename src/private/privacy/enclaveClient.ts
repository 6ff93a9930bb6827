/**
 * The enclave's HTTP interface. Bodies are JSON; only status 200 is a success.
 * @module
 */
import type { EnclaveAnswer, EnclaveTransport } from '../../base/ports/enclave.ts'
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { PrivacyGroup } from './groups.ts'

const JSON_TYPE = 'application/json'
const ORION_TYPE = 'application/vnd.orion.v1+json'

/**
 * A failed call of the enclave. `refused`: it answered 4xx. `failed`: it answered 5xx. `keyless`: it accepted a
 * payload, but its answer does not name the key. `unreachable`: it did not answer, or the answer makes no sense.
 */
export interface EnclaveFailure {
  readonly code: 'ENCLAVE_FAILURE'
  readonly kind: 'refused' | 'failed' | 'keyless' | 'unreachable'
  /** HTTP status; 0 if there was none */
  readonly status: number
  /** The enclave's text, or empty. It may name keys, so it is never logged. */
  readonly reason: string
}

/** A payload as the enclave stores it. */
export interface ReceivedPayload {
  /** The content that was sent, decoded from Base64. */
  readonly payload: Uint8Array
  /** Base64 */
  readonly privacyGroupId: string
  /** Base64 */
  readonly senderKey: string
}

/** Keys and ids are in Base64. Every function throws {@link EnclaveFailure} in a NodeError. */
export class EnclaveClient {
  readonly #transport: EnclaveTransport

  constructor(transport: EnclaveTransport) {
    this.#transport = transport
  }

  /** Stores a payload for some keys. @returns its key, 32 bytes */
  async sendTo(payload: Uint8Array, from: string, to: readonly string[]): Promise<Uint8Array> {
    return keyOf(await this.#call('/send', JSON_TYPE, { payload: payloadText(payload), from, to }))
  }

  /** Stores a payload for the members of a group. @returns its key, 32 bytes */
  async sendToGroup(payload: Uint8Array, from: string, privacyGroupId: string): Promise<Uint8Array> {
    return keyOf(await this.#call('/send', JSON_TYPE, { payload: payloadText(payload), from, privacyGroupId }))
  }

  /** @param to undefined: any key of the enclave */
  async receive(key: Uint8Array, to?: string): Promise<ReceivedPayload> {
    const answer = record(await this.#call('/receive', ORION_TYPE, { key: toBase64(key), to: to ?? null }))
    const { payload, privacyGroupId, senderKey } = answer
    if (typeof payload !== 'string' || typeof privacyGroupId !== 'string' || typeof senderKey !== 'string') {
      throw senseless('the payload, its group or its sender is missing')
    }
    return { payload: payloadOf(payload), privacyGroupId, senderKey }
  }

  async createGroup(
    addresses: readonly string[],
    from: string,
    name: string | null,
    description: string | null,
  ): Promise<PrivacyGroup> {
    return groupOf(await this.#call('/createPrivacyGroup', JSON_TYPE, { addresses, from, name, description }))
  }

  /** @returns the id */
  async deleteGroup(privacyGroupId: string, from: string): Promise<string> {
    const answer = await this.#call('/deletePrivacyGroup', JSON_TYPE, { privacyGroupId, from })
    if (typeof answer !== 'string') throw senseless('expected an id')
    return answer
  }

  async findGroups(addresses: readonly unknown[]): Promise<PrivacyGroup[]> {
    const answer = await this.#call('/findPrivacyGroup', JSON_TYPE, { addresses })
    if (!Array.isArray(answer)) throw senseless('expected a list of groups')
    return answer.map(groupOf)
  }

  async retrieveGroup(privacyGroupId: string): Promise<PrivacyGroup> {
    return groupOf(await this.#call('/retrievePrivacyGroup', JSON_TYPE, { privacyGroupId }))
  }

  /** Asks for a group without reading the answer: a refusal shows that there is none. */
  async checkGroup(privacyGroupId: string): Promise<void> {
    record(await this.#call('/retrievePrivacyGroup', JSON_TYPE, { privacyGroupId }))
  }

  close(): void {
    this.#transport.close()
  }

  async #call(path: string, contentType: string, body: object): Promise<unknown> {
    let answer: EnclaveAnswer
    try {
      answer = await this.#transport.post(path, contentType, JSON.stringify(body))
    } catch (cause) {
      throw failure('unreachable', 0, '', 'the enclave does not answer', cause)
    }
    const { status } = answer
    if (status !== 200) {
      const kind = status >= 400 && status < 500 ? 'refused' : 'failed'
      throw failure(kind, status, reasonOf(answer.body), `the enclave answered with status ${status}`)
    }
    try {
      return JSON.parse(answer.body)
    } catch (cause) {
      throw senseless('the answer is not JSON', cause)
    }
  }
}

/** @returns undefined for every other error */
export function enclaveFailure(error: unknown): EnclaveFailure | undefined {
  if (!(error instanceof NodeError) || error.code !== 'ENCLAVE_FAILURE') return undefined
  return error.details as EnclaveFailure
}

function failure(
  kind: EnclaveFailure['kind'],
  status: number,
  reason: string,
  message: string,
  cause?: unknown,
): NodeError<EnclaveFailure> {
  return new NodeError({ code: 'ENCLAVE_FAILURE', kind, status, reason }, message, { cause })
}

function senseless(reason: string, cause?: unknown): NodeError<EnclaveFailure> {
  return failure('unreachable', 200, '', `the answer of the enclave makes no sense: ${reason}`, cause)
}

const ENCODED_KEY = /(^|\s)[A-Za-z0-9+/]{43}=(?=\s|$)/g

/** `{"error": text}`, or the text itself without keys. */
function reasonOf(body: string): string {
  try {
    const { error } = record(JSON.parse(body))
    if (typeof error === 'string') return withoutKeys(error)
  } catch {
    // Not JSON: the body is the text.
  }
  return withoutKeys(body)
}

function withoutKeys(text: string): string {
  return text.replace(ENCODED_KEY, '').trim()
}

const text = new TextEncoder()
const utf8 = new TextDecoder()

/** Encoded in Base64 twice: the enclave treats the content as text. */
function payloadText(payload: Uint8Array): string {
  return toBase64(text.encode(toBase64(payload)))
}

/** Undecodable content becomes an empty payload, which is no transaction: any participant could have sent it. */
function payloadOf(encoded: string): Uint8Array {
  const inner = fromBase64(encoded)
  if (inner === undefined) throw senseless('the payload is not in Base64')
  return fromBase64(utf8.decode(inner)) ?? EMPTY_BYTES
}

function keyOf(answer: unknown): Uint8Array {
  const { key } = record(answer)
  if (key === undefined) throw failure('keyless', 200, '', 'the answer of the enclave names no key')
  const bytes = typeof key === 'string' ? fromBase64(key) : undefined
  if (bytes?.length !== 32) throw senseless('expected a key of 32 bytes')
  return bytes
}

function groupOf(answer: unknown): PrivacyGroup {
  const { privacyGroupId, name, description, type, members } = record(answer)
  if (typeof privacyGroupId !== 'string' || !Array.isArray(members)) throw senseless('expected a group')
  if (members.some((member) => typeof member !== 'string')) throw senseless('a member of a group is not a text')
  const orEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')
  return { privacyGroupId, name: orEmpty(name), description: orEmpty(description), type: orEmpty(type), members }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw senseless('expected an object')
}
