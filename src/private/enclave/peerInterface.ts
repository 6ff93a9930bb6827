/**
 * Requests from other enclaves: Tessera's peer-to-peer interface. Anyone can send them.
 * @module
 */
import { MAX_ENCLAVE_GROUP_TEXT } from '../../base/limits/limits.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { Delivery } from './delivery.ts'
import type { EnclaveStore } from './enclaveStore.ts'
import { decodePayload, decryptPayload, type EncryptedPayload, payloadKey, withRecipient } from './encryptedPayload.ts'
import { decodeGroup, type EnclaveGroup, groupIdOf } from './group.ts'
import { type KeyRing, publicKeyOf } from './keyRing.ts'
import { binaryReply, type EnclaveReply, type EnclaveRequest, jsonReply, textReply } from './messages.ts'
import { fieldsOf } from './nodeInterface.ts'
import type { PartyBook } from './partyBook.ts'
import type { PartyExchange } from './partyExchange.ts'
import type { Recovery } from './recovery.ts'
import { refusal } from './refusal.ts'

export interface PeerInterfaceOptions {
  readonly ring: KeyRing
  readonly book: PartyBook
  readonly store: EnclaveStore
  readonly delivery: Delivery
  readonly exchange: PartyExchange
  /** undefined: the database was not empty at the start, so that nothing is taken back. */
  readonly recovery: Recovery | undefined
}

export class PeerInterface {
  readonly #options: PeerInterfaceOptions

  constructor(options: PeerInterfaceOptions) {
    this.#options = options
  }

  /** @throws {NodeError} ENCLAVE_REFUSAL, INVALID_ENCLAVE_KEY */
  async answer({ method, path, body }: EnclaveRequest): Promise<EnclaveReply> {
    const { exchange } = this.#options
    switch (`${method} ${path}`) {
      case 'GET /upcheck':
        return textReply(200, "I'm up!")
      case 'GET /partyinfo':
        return jsonReply(exchange.describe())
      case 'POST /partyinfo':
        return binaryReply(await exchange.receive(body))
      case 'POST /partyinfo/validate':
        return textReply(200, exchange.prove(body))
      case 'POST /push':
        return textReply(201, await this.#push(body))
      case 'POST /pushPrivacyGroup':
        await this.#pushGroup(body)
        return textReply(200, '')
      case 'POST /resend':
        this.#resend(body)
        return textReply(200, '')
      default:
        throw refusal(404, 'Not found')
    }
  }

  /** @returns the key of the stored payload */
  async #push(body: Uint8Array): Promise<string> {
    const { ring, book, store, recovery } = this.#options
    const pushed = withRecipient(decodePayload(body), ring)
    const restored = recovery?.restored(pushed)
    const payload = restored ?? this.#readable(pushed)
    const { sender, groupId } = payload
    const name = toBase64(sender)
    const isKnown = restored !== undefined || book.isConfigured(name)
    if (!book.isOpen && !ring.has(name) && !isKnown) throw refusal(403, 'Only configured enclaves are accepted')
    if (groupId === undefined) throw refusal(400, 'The payload names no privacy group')
    const group = store.group(groupId)
    if (group?.isDeleted) throw refusal(404, `Privacy group ${toBase64(groupId)} not found`)
    if (group !== undefined && !group.members.some((key) => equalBytes(key, sender))) {
      throw refusal(403, 'The sender is not a member of the privacy group')
    }
    const key = payloadKey(payload)
    const isNew = store.payload(key) === undefined
    await store.addPayload(payload, undefined, !isKnown)
    if (restored !== undefined && isNew) recovery?.count()
    return toBase64(key)
  }

  /** The payload with those of its recipients that are keys of this enclave and can open their box. */
  #readable(payload: EncryptedPayload): EncryptedPayload {
    const { ring } = this.#options
    const ownRecipients = payload.recipients.flatMap((key, i) => (ring.has(toBase64(key)) ? [i] : []))
    if (ownRecipients.length === 0) throw refusal(404, 'The payload is for none of the keys of this enclave')
    const able = ownRecipients.filter((i) => decryptPayload(only(payload, i), ring) !== undefined)
    if (able.length === 0) throw refusal(400, 'The payload cannot be decrypted')
    return {
      ...payload,
      recipients: able.map((i) => payload.recipients[i] as Uint8Array),
      boxes: able.map((i) => payload.boxes[i] as Uint8Array),
    }
  }

  async #pushGroup(body: Uint8Array): Promise<void> {
    const { ring, store } = this.#options
    const group = decodeGroup(body)
    if (!group.members.some((key) => ring.has(toBase64(key)))) {
      throw refusal(404, 'The privacy group has none of the keys of this enclave')
    }
    checkGroup(group)
    const storedGroup = store.group(groupIdOf(group))
    if (group.isDeleted && storedGroup?.isDeleted === false)
      await store.addGroup({ ...storedGroup, isDeleted: true }, false)
    if (!group.isDeleted && storedGroup === undefined) await store.addGroup(group, true)
  }

  #resend(body: Uint8Array): void {
    const { type, publicKey } = fieldsOf(body)
    if (type === 'INDIVIDUAL') throw refusal(403, 'Payloads are only sent to the enclaves of their recipients: use ALL')
    const key = publicKeyOf(publicKey)
    if (type !== 'ALL' || key === undefined) throw refusal(400, 'Expected the type ALL and a public key')
    this.#options.delivery.resend(key)
  }
}

function only(payload: EncryptedPayload, i: number): EncryptedPayload {
  return { ...payload, recipients: [payload.recipients[i] as Uint8Array], boxes: [payload.boxes[i] as Uint8Array] }
}

/** For other groups, the seed proves membership: a member that knows it can delete the group. */
function checkGroup({ type, seed, name, description, isDeleted }: EnclaveGroup): void {
  if (name.length > MAX_ENCLAVE_GROUP_TEXT || description.length > MAX_ENCLAVE_GROUP_TEXT) {
    throw refusal(400, 'The name or the description of the privacy group is too long')
  }
  if (type === 'PANTHEON') return
  if (isDeleted) throw refusal(403, 'A legacy group is only deleted by its own enclave')
  if (seed.length > 0) throw refusal(400, 'A legacy group has no seed')
}
