/**
 * Private transactions by their markers. Their content comes from the enclave, on behalf of one user.
 * @module
 */

import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ChainReader } from '../../chain/contract.ts'
import type { Transaction } from '../../types/transaction.ts'
import { type EnclaveClient, enclaveFailure } from './enclaveClient.ts'
import { type PastTransaction, readGroupHistory } from './groupHistory.ts'
import { readVersioned } from './payloadReading.ts'
import type { PrivateReads } from './privateReads.ts'
import {
  groupBlocks,
  type PrivateReceipt,
  readGroupRecord,
  readPrivateReceipt,
  recordedGroups,
} from './privateRecords.ts'
import { decodePrivateTransaction, type PrivateTransaction } from './privateTransaction.ts'

export interface MarkerLocation {
  /** Hash of the marker. */
  readonly hash: Uint8Array
  readonly blockHash: Uint8Array
  readonly blockNumber: number
  readonly index: number
  readonly marker: Transaction
}

export interface FoundTransaction {
  readonly location: MarkerLocation
  readonly transaction: PrivateTransaction
  /** Base64; undefined when the history of a flexible group names it. */
  readonly groupId: string
}

export interface PrivateLookupOptions {
  readonly chain: ChainReader
  readonly store: KeyValueReader
  readonly enclave: EnclaveClient
  readonly reads: PrivateReads
  readonly isFlexible: boolean
}

const KEY_BYTES = 32

export class PrivateLookup {
  readonly #options: PrivateLookupOptions

  constructor(options: PrivateLookupOptions) {
    this.#options = options
  }

  /**
   * The private transaction of a canonical marker, as far as the enclave shows it to the user.
   * @returns undefined when it is not a marker of the user
   * @throws {NodeError} ENCLAVE_FAILURE
   */
  async find(markerHash: Uint8Array, user: string): Promise<FoundTransaction | undefined> {
    const place = await this.#options.reads.resident(() => this.#locate(markerHash))
    if (place === undefined || place.marker.to === undefined || place.marker.data.length < KEY_BYTES) return undefined
    try {
      const received = await this.#options.enclave.receive(place.marker.data.subarray(0, KEY_BYTES), user)
      const transaction = this.#read(received.payload)
      if (transaction === undefined) return undefined
      return { location: place, transaction, groupId: groupOf(transaction) ?? received.privacyGroupId }
    } catch (error) {
      if (enclaveFailure(error)?.status !== 404) throw error
      return this.#options.isFlexible ? this.#findInHistory(place, user) : undefined
    }
  }

  receipt({ blockHash, hash }: MarkerLocation): Promise<PrivateReceipt | undefined> {
    return this.#options.reads.resident(() => readPrivateReceipt(this.#options.store, blockHash, hash))
  }

  /** All successful transactions of a flexible group on the canonical chain, oldest first. */
  async history(groupId: Uint8Array, user: string): Promise<PastTransaction[]> {
    const { reads, store, chain } = this.#options
    const blocks = await reads.resident(() => {
      const { head } = chain
      return [...groupBlocks(store, groupId, Number(head.header.number), reads.chainTo(head))]
    })
    const past: PastTransaction[] = []
    for (const { changes } of blocks.reverse()) {
      for (const { marker, root } of changes) {
        const transaction = await this.find(marker, user)
        if (transaction === undefined) continue
        past.push({ transaction: transaction.transaction, marker, stateRoot: root.hash })
      }
    }
    return past
  }

  #locate(hash: Uint8Array): MarkerLocation | undefined {
    const { chain } = this.#options
    const location = chain.transactionLocation(hash)
    if (location === undefined) return undefined
    const marker = chain.body(location.blockHash)?.transactions[location.index]
    return marker === undefined ? undefined : { hash, ...location, marker }
  }

  /** A transaction from before the user became a member. */
  async #findInHistory(location: MarkerLocation, user: string): Promise<FoundTransaction | undefined> {
    const { reads, store, chain, enclave } = this.#options
    const keys = await reads.resident(() => {
      const id = { number: location.blockNumber, hash: location.blockHash }
      const addresses: Uint8Array[] = []
      for (const groupId of recordedGroups(store)) {
        const record = readGroupRecord(store, groupId, id)
        if (record?.changes.some(({ marker }) => equalBytes(marker, location.hash)) !== true) continue
        const end = Number(chain.head.header.number)
        for (const { historyKey } of groupBlocks(store, groupId, end, reads.chainTo(chain.head))) {
          if (historyKey !== undefined) addresses.push(historyKey)
        }
      }
      return addresses
    })
    for (const key of keys) {
      const payload = await this.#receive(enclave, key, user)
      const past = payload && readGroupHistory(payload, key)?.past
      const match = past?.find(({ marker }) => equalBytes(marker, location.hash))
      const groupId = match && groupOf(match.transaction)
      if (match !== undefined && groupId !== undefined)
        return { location: location, transaction: match.transaction, groupId }
    }
    return undefined
  }

  async #receive(enclave: EnclaveClient, key: Uint8Array, user: string): Promise<Uint8Array | undefined> {
    try {
      return (await enclave.receive(key, user)).payload
    } catch (error) {
      if (enclaveFailure(error)?.kind === 'refused') return undefined
      throw error
    }
  }

  #read(payload: Uint8Array): PrivateTransaction | undefined {
    try {
      return this.#options.isFlexible ? readVersioned(payload).transaction : decodePrivateTransaction(payload)
    } catch (error) {
      if (isNodeError(error)) return undefined
      throw error
    }
  }
}

function groupOf({ recipients }: PrivateTransaction): string | undefined {
  return recipients.kind === 'group' ? toBase64(recipients.id) : undefined
}

/** @returns undefined when the text is not the Base64 of 32 bytes */
export function readGroupId(text: string): Uint8Array | undefined {
  const bytes = fromBase64(text)
  return bytes?.length === KEY_BYTES ? bytes : undefined
}
