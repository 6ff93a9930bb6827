/**
 * Distribution of private transactions by the enclave.
 * @module
 */

import { toBase64 } from '../../base/primitives/base64.ts'
import { concatBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { EnclaveClient } from './enclaveClient.ts'
import { addedParticipants, addsParticipants } from './flexibleRules.ts'
import { encodeGroupHistory } from './groupHistory.ts'
import { isGroupId } from './groups.ts'
import type { PrivateLookup } from './privateLookup.ts'
import type { PrivateReads } from './privateReads.ts'
import {
  encodePrivateTransaction,
  groupIdOf,
  type PrivateTransaction,
  privateForOf,
  privateTransactionItem,
} from './privateTransaction.ts'
import { checkNonce, checkSigned, readSubmission } from './submissionChecks.ts'
import type { Tenants } from './tenants.ts'

export interface DistributionOptions {
  readonly chain: Pick<ChainReader, 'config' | 'head'>
  readonly enclave: EnclaveClient
  readonly tenants: Tenants
  readonly reads: PrivateReads
  readonly lookup: PrivateLookup
  readonly isFlexible: boolean
}

export interface Distributed {
  readonly transaction: PrivateTransaction
  /** Data of the marker: the enclave's key, and in an addition to a flexible group that of the history. */
  readonly markerData: Uint8Array
}

const NO_VERSION: Uint8Array = new Uint8Array(32)

export class Distribution {
  readonly #options: DistributionOptions

  constructor(options: DistributionOptions) {
    this.#options = options
  }

  /**
   * Checks a transaction and passes it to the members of its group.
   * @param raw hex of the signed transaction
   * @param user key of the user in the enclave
   * @param forMarker whether the node makes the marker itself, which has stricter rules
   * @throws {NodeError} of the checks, and ENCLAVE_FAILURE
   */
  distribute(raw: string, user: string, forMarker: boolean): Promise<Distributed> {
    const transaction = readSubmission(raw)
    const isOwn = toBase64(transaction.privateFrom) === user
    if (!isOwn && (!this.#options.isFlexible || !forMarker)) throw foreign()
    if (!this.#options.isFlexible) return this.#toEnclaveGroup(transaction, user, forMarker)
    return this.#toFlexibleGroup(transaction, user, forMarker)
  }

  async #toEnclaveGroup(transaction: PrivateTransaction, user: string, forMarker: boolean): Promise<Distributed> {
    const { enclave, tenants } = this.#options
    const groupId = groupIdOf(transaction)
    if (!isGroupId(groupId)) {
      const message = `the privacy group id has ${groupId.length} bytes, not 32`
      throw new NodeError({ code: forMarker ? 'DECODE_ERROR' : 'ENCLAVE_ERROR' }, message)
    }
    const { recipients } = transaction
    await this.#check(transaction, groupId)
    const payload = encodePrivateTransaction(transaction)
    if (recipients.kind === 'keys') {
      const to = privateForOf(transaction) ?? []
      const key = await enclave.sendTo(payload, user, to.length === 0 ? [user] : to)
      return { transaction, markerData: key }
    }
    const name = toBase64(groupId)
    if (!tenants.areSeparate) await enclave.checkGroup(name)
    else if (!(await enclave.retrieveGroup(name)).members.includes(user)) {
      throw new NodeError({ code: 'ENCLAVE_ERROR' }, 'the user is not a member of the privacy group')
    }
    return { transaction, markerData: await enclave.sendToGroup(payload, user, name) }
  }

  async #toFlexibleGroup(transaction: PrivateTransaction, user: string, forMarker: boolean): Promise<Distributed> {
    const { enclave, reads } = this.#options
    const { recipients } = transaction
    if (recipients.kind !== 'group') {
      const message = 'private transactions to flexible privacy groups must name the id of the group'
      throw new NodeError({ code: 'FLEXIBLE_PRIVACY_GROUP_ID_NOT_AVAILABLE' }, message)
    }
    if (!isGroupId(recipients.id)) {
      const message = `the privacy group id has ${recipients.id.length} bytes, not 32`
      throw new NodeError({ code: 'DECODE_ERROR' }, message)
    }
    await this.#check(transaction, recipients.id)
    const contract = await reads.contract(recipients.id)
    const added = addsParticipants(transaction) ? addedParticipants(transaction) : undefined
    const isKnown = contract.version !== undefined
    if (!isKnown && added === undefined) throw noSuchGroup()
    if (isKnown && forMarker && !contract.members.includes(user)) throw noSuchGroup()
    if (toBase64(transaction.privateFrom) !== user) {
      throw new NodeError({ code: 'ENCLAVE_ERROR' }, 'privateFrom is not the key of the user')
    }
    if (added?.length === 0) {
      throw new NodeError({ code: 'INVALID_PARAMS' }, 'addParticipants needs at least one key')
    }
    const payload = rlpEncode([privateTransactionItem(transaction), contract.version ?? NO_VERSION])
    const to = [...new Set([...contract.members, ...(added ?? [])])]
    const key = await enclave.sendTo(payload, user, to)
    const historyKey = added && (await this.#sendHistory(recipients.id, added, user))
    return { transaction, markerData: historyKey === undefined ? key : concatBytes(key, historyKey) }
  }

  /** @returns undefined when the group has no history */
  async #sendHistory(groupId: Uint8Array, added: readonly string[], user: string): Promise<Uint8Array | undefined> {
    const { enclave, lookup } = this.#options
    const past = await lookup.history(groupId, user)
    return past.length === 0 ? undefined : enclave.sendTo(encodeGroupHistory(past), user, added)
  }

  async #check(transaction: PrivateTransaction, groupId: Uint8Array): Promise<void> {
    const { chain, reads } = this.#options
    const sender = checkSigned(transaction, chain.head.dev?.chainId ?? chain.config.chainId)
    checkNonce(transaction, await reads.nonce(groupId, sender))
  }
}

function foreign(): NodeError {
  const message = 'privateFrom is not the key of the user in the enclave'
  return new NodeError({ code: 'PRIVATE_FROM_DOES_NOT_MATCH_ENCLAVE_PUBLIC_KEY' }, message)
}

function noSuchGroup(): NodeError {
  return new NodeError({ code: 'FLEXIBLE_PRIVACY_GROUP_DOES_NOT_EXIST' }, 'there is no such flexible privacy group')
}
