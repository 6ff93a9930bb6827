/**
 * Payloads and groups of an enclave.
 * @module
 */
import { MAX_ENCLAVE_STRANGER_BYTES } from '../../base/limits/limits.ts'
import type { KeyValueStore, Mutation } from '../../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, readUint, writeUint } from '../../base/primitives/bytes.ts'
import { keys } from '../../storage/schema.ts'
import { legacyGroupId } from '../privacy/groups.ts'
import {
  decodePayload,
  type EncryptedPayload,
  encodePayload,
  isSamePayload,
  mergePayloads,
  payloadKey,
} from './encryptedPayload.ts'
import { decodeGroup, type EnclaveGroup, encodeGroup, groupIdOf } from './group.ts'
import { refusal } from './refusal.ts'

const LISTED = Uint8Array.of(1)
const PAYLOAD_PREFIX = keys.enclavePayload(EMPTY_BYTES)
const QUOTA_BYTES = 8
/** Largest number that `writeUint` and `readUint` exchange. */
const NUMBER_BYTES = 6

/** Every write is durable when its promise resolves. */
export class EnclaveStore {
  readonly #store: KeyValueStore

  /** @param store synchronous for reads */
  constructor(store: KeyValueStore) {
    this.#store = store
  }

  payload(key: Uint8Array): EncryptedPayload | undefined {
    const bytes = this.#store.get(keys.enclavePayload(key))
    return bytes && decodePayload(bytes)
  }

  /** All payloads, in the order of their keys. */
  *payloads(): Generator<EncryptedPayload> {
    for (const [, bytes] of this.#store.range({ prefix: PAYLOAD_PREFIX })) yield decodePayload(bytes)
  }

  /** @returns also deleted groups */
  group(id: Uint8Array): EnclaveGroup | undefined {
    const bytes = this.#store.get(keys.enclaveGroup(id))
    return bytes && decodeGroup(bytes)
  }

  /** Groups with exactly these members, without the deleted ones. */
  groupsOf(members: readonly Uint8Array[]): EnclaveGroup[] {
    const prefix = keys.enclaveGroupsOf(legacyGroupId(members))
    const ids = [...this.#store.range({ prefix })].map(([key]) => key.subarray(prefix.length))
    return ids.flatMap((id) => this.group(id) ?? [])
  }

  async addGroup(group: EnclaveGroup, isForeign: boolean): Promise<void> {
    const batch = groupMutations(group)
    await this.#store.commit(isForeign ? [...batch, ...this.#charge(batch)] : batch)
  }

  /**
   * Stores a payload, or the further recipients of a stored one.
   * @param group to store with it
   * @param isForeign whether it counts towards the quota of unknown enclaves
   * @throws {NodeError} ENCLAVE_REFUSAL: 409 when another payload with the same content is stored; 503 above the quota
   */
  async addPayload(payload: EncryptedPayload, group: EnclaveGroup | undefined, isForeign: boolean): Promise<void> {
    const key = payloadKey(payload)
    const storedPayload = this.payload(key)
    if (storedPayload !== undefined && !isSamePayload(storedPayload, payload)) {
      throw refusal(409, 'Another payload with the same content is stored')
    }
    const merged = storedPayload === undefined ? payload : mergePayloads(storedPayload, payload)
    if (storedPayload !== undefined && merged.recipients.length === storedPayload.recipients.length) return
    const batch: Mutation[] = [{ key: keys.enclavePayload(key), value: encodePayload(merged) }]
    if (group !== undefined) batch.push(...groupMutations(group))
    await this.#store.commit(isForeign ? [...batch, ...this.#charge(batch)] : batch)
  }

  #charge(batch: readonly Mutation[]): Mutation[] {
    const stored = this.#store.get(keys.enclaveQuota())
    const used = stored === undefined ? 0 : readUint(stored, QUOTA_BYTES - NUMBER_BYTES, NUMBER_BYTES)
    const total = batch.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), used)
    if (total > MAX_ENCLAVE_STRANGER_BYTES) throw refusal(503, 'The space for data of unknown enclaves is used up')
    const value = new Uint8Array(QUOTA_BYTES)
    writeUint(value, QUOTA_BYTES - NUMBER_BYTES, total, NUMBER_BYTES)
    return [{ key: keys.enclaveQuota(), value }]
  }
}

function groupMutations(group: EnclaveGroup): Mutation[] {
  const id = groupIdOf(group)
  const listed = keys.enclaveGroupMembers(legacyGroupId(group.members), id)
  return [
    { key: keys.enclaveGroup(id), value: encodeGroup(group) },
    { key: listed, value: group.isDeleted ? undefined : LISTED },
  ]
}
