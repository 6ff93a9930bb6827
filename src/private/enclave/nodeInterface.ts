/**
 * Requests from nodes: Tessera's REST interface in Orion mode.
 * @module
 */
import { MAX_ENCLAVE_GROUP_TEXT, MAX_ENCLAVE_RECIPIENTS } from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { Delivery } from './delivery.ts'
import type { EnclaveStore } from './enclaveStore.ts'
import { decryptPayload, encryptPayload, payloadKey } from './encryptedPayload.ts'
import { type EnclaveGroup, groupIdOf, groupObject, legacyGroup } from './group.ts'
import { type KeyRing, publicKeyOf } from './keyRing.ts'
import { type EnclaveReply, type EnclaveRequest, jsonReply, textReply } from './messages.ts'
import { refusal } from './refusal.ts'

export interface NodeInterfaceOptions {
  readonly ring: KeyRing
  readonly store: EnclaveStore
  readonly delivery: Delivery
  readonly random: Random
}

type Fields = Readonly<Record<string, unknown>>

const SEED_BYTES = 32

export class NodeInterface {
  readonly #options: NodeInterfaceOptions

  constructor(options: NodeInterfaceOptions) {
    this.#options = options
  }

  /** @throws {NodeError} ENCLAVE_REFUSAL, INVALID_ENCLAVE_KEY */
  async answer({ method, path, body }: EnclaveRequest): Promise<EnclaveReply> {
    if (method === 'GET' && path === '/upcheck') return textReply(200, "I'm up!")
    if (method !== 'POST') throw refusal(404, 'Not found')
    switch (path) {
      case '/send':
        return jsonReply(await this.#send(fieldsOf(body)))
      case '/receive':
        return jsonReply(this.#receive(fieldsOf(body)))
      case '/createPrivacyGroup':
        return jsonReply(await this.#createGroup(fieldsOf(body)))
      case '/deletePrivacyGroup':
        return jsonReply(await this.#deleteGroup(fieldsOf(body)))
      case '/findPrivacyGroup':
        return jsonReply(this.#findGroups(fieldsOf(body)))
      case '/retrievePrivacyGroup':
        return jsonReply(groupObject(this.#group(fieldsOf(body))))
      default:
        throw refusal(404, 'Not found')
    }
  }

  /** Answers only once the enclave of every recipient has stored the payload. */
  async #send({ payload, from, to, privacyGroupId }: Fields): Promise<object> {
    const { ring, store, delivery, random } = this.#options
    const sender = this.#ownKey(from)
    const content = typeof payload === 'string' ? fromBase64(payload) : undefined
    if (content === undefined) throw refusal(400, 'InvalidPayload')
    const isGroup = privacyGroupId !== undefined && privacyGroupId !== null
    const group = isGroup ? this.#group({ privacyGroupId }) : legacyGroup(distinct([sender, ...keysOf(to ?? [])]))
    const groupId = groupIdOf(group)
    // A sender outside the group can read what it sends, as with any mail.
    const recipients = distinct([...group.members, sender])
    delivery.checkReachable(recipients)
    const sealed = encryptPayload(ring, random, { content, sender, recipients, groupId })
    const isNew = !isGroup && store.group(groupId)?.isDeleted !== false
    // Also announces a legacy group, so that its members can find it. Best effort: they have the payload either way.
    if (isNew) void delivery.sendGroup(group)
    await delivery.sendPayload(sealed)
    await store.addPayload(sealed, isNew ? group : undefined, false)
    return { key: toBase64(payloadKey(sealed)) }
  }

  #receive({ key, to }: Fields): object {
    const { ring, store } = this.#options
    const digest = publicKeyOf(key)
    const stored = digest && store.payload(digest)
    const name = to === undefined || to === null ? undefined : nameOf(to)
    const content = stored && decryptPayload(stored, ring, name)
    if (stored?.groupId === undefined || content === undefined) {
      throw refusal(404, `Message with hash ${String(key)} was not found`)
    }
    const { groupId, sender } = stored
    return { payload: toBase64(content), privacyGroupId: toBase64(groupId), senderKey: toBase64(sender) }
  }

  async #createGroup({ addresses, from, name, description }: Fields): Promise<object> {
    const { store, delivery, random } = this.#options
    const members = distinct(keysOf(addresses))
    const sender = this.#ownKey(from)
    if (!members.some((key) => equalBytes(key, sender))) {
      throw refusal(403, 'The list of members in a privacy group should include self')
    }
    delivery.checkReachable(members)
    const group: EnclaveGroup = {
      type: 'PANTHEON',
      name: shortText(name),
      description: shortText(description),
      members,
      seed: random.bytes(SEED_BYTES),
      isDeleted: false,
    }
    if (!(await delivery.sendGroup(group))) throw refusal(500, 'PrivacyGroupNotPushed')
    await store.addGroup(group, false)
    return groupObject(group)
  }

  async #deleteGroup({ privacyGroupId, from }: Fields): Promise<string> {
    const { store, delivery } = this.#options
    const group = this.#group({ privacyGroupId })
    const sender = publicKeyOf(from)
    if (sender === undefined || !group.members.some((key) => equalBytes(key, sender))) {
      throw refusal(403, 'Invalid member')
    }
    const deleted = { ...group, isDeleted: true }
    // Everybody knows the id of a legacy group, so other enclaves would not accept its deletion.
    if (group.type === 'PANTHEON' && !(await delivery.sendGroup(deleted))) throw refusal(500, 'PrivacyGroupNotPushed')
    await store.addGroup(deleted, false)
    return toBase64(groupIdOf(group))
  }

  /** No group has a member that is not a key. */
  #findGroups({ addresses }: Fields): readonly object[] {
    if (!Array.isArray(addresses)) throw refusal(400, 'addresses must be a list of keys')
    const members = addresses.map(publicKeyOf)
    const keys = members.filter((key) => key !== undefined)
    return keys.length < members.length || keys.length === 0 ? [] : this.#options.store.groupsOf(keys).map(groupObject)
  }

  #group({ privacyGroupId }: Fields): EnclaveGroup {
    const id = publicKeyOf(privacyGroupId)
    const group = id && this.#options.store.group(id)
    if (group === undefined || group.isDeleted) throw refusal(404, `Privacy group ${String(privacyGroupId)} not found`)
    return group
  }

  #ownKey(name: unknown): Uint8Array {
    const senderName = nameOf(name)
    const { ring } = this.#options
    if (!ring.has(senderName)) throw refusal(404, `No private key found for public key: ${String(name)}`)
    return ring.publicKey(senderName)
  }
}

/** The canonical form of a key in Base64. Any other value becomes a text that names no key. */
function nameOf(value: unknown): string {
  const key = publicKeyOf(value)
  return key === undefined ? String(value) : toBase64(key)
}

function keysOf(value: unknown): Uint8Array[] {
  if (!Array.isArray(value) || value.length > MAX_ENCLAVE_RECIPIENTS) {
    throw refusal(400, `Expected a list of at most ${MAX_ENCLAVE_RECIPIENTS} keys`)
  }
  return value.map((item) => {
    const key = publicKeyOf(item)
    if (key === undefined) throw refusal(400, `Invalid Base64-encoded public key: ${String(item)}`)
    return key
  })
}

function distinct(keys: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(keys.map((key) => [toBase64(key), key])).values()]
}

function shortText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= MAX_ENCLAVE_GROUP_TEXT) return value
  throw refusal(400, `Name and description of a group are texts of at most ${MAX_ENCLAVE_GROUP_TEXT} characters`)
}

const utf8 = new TextDecoder()

/** @param body an empty one has no fields */
export function fieldsOf(body: Uint8Array): Fields {
  if (body.length === 0) return {}
  try {
    const value: unknown = JSON.parse(utf8.decode(body))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  } catch (cause) {
    throw refusal(400, 'The request is not JSON', cause)
  }
  throw refusal(400, 'The request is not a JSON object')
}
