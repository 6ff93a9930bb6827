/**
 * Database writes of a block and of the canonical chain.
 * @module
 */

import { bytesToHex } from '../base/primitives/bytes.ts'
import { hasState } from '../state/contract.ts'
import { keys } from '../storage/schema.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { encodeStoredReceipts } from '../types/receiptCodec.ts'
import {
  addLocation,
  corrupt,
  decodeBlockRecord,
  encodeBlockRecord,
  encodeNumber,
  encodeTransactionKeys,
  removeLocation,
} from './blockRecord.ts'
import type { StoredHeader } from './blockTables.ts'
import { decodeDevAmendment } from './devAmendment.ts'
import { bodyRlp, type PreparedBlock } from './preparedBlock.ts'
import { encodeBlockTerms } from './termIndex/blockTerms.ts'

/**
 * Header, body, senders, receipts, record and terms; empty lists are not written.
 * @param accounts that the execution of the block accessed; undefined when it was not executed
 */
export function putBlock(
  stage: StagedStore,
  prepared: PreparedBlock,
  stored: StoredHeader,
  receipts: readonly StoredReceipt[],
  accounts: readonly Uint8Array[] | undefined,
): void {
  const number = Number(stored.header.number)
  const { hash } = stored
  stage.put(keys.header(number, hash), prepared.encodings.header)
  stage.put(keys.body(number, hash), bodyRlp(prepared))
  stage.put(keys.numberByHash(hash), encodeNumber(number))
  stage.put(
    keys.blockRecord(number, hash),
    encodeBlockRecord({
      totalDifficulty: stored.totalDifficulty,
      stateVersion: stored.stateRoot.isMissing === true ? undefined : stored.stateRoot.version,
      size: stored.size,
      isAmended: false,
      isBaseState: hasState(stored) && stored.stateRoot.base !== undefined,
    }),
  )
  stage.put(keys.blockTerms(number, hash), encodeBlockTerms(receipts, accounts))
  if (receipts.length === 0) return
  stage.put(keys.receipts(number, hash), encodeStoredReceipts(receipts))
  stage.put(keys.senders(number, hash), encodeTransactionKeys(prepared.transactions))
}

export function putCanonical(stage: StagedStore, block: StoredHeader, transactionHashes: readonly Uint8Array[]): void {
  const number = Number(block.header.number)
  stage.put(keys.canonicalHash(number), block.hash)
  for (const [index, { key, others }] of otherLocations(stage, number, transactionHashes).entries()) {
    stage.put(key, addLocation(others, number, index))
  }
}

export function removeCanonical(
  stage: StagedStore,
  block: StoredHeader,
  transactionHashes: readonly Uint8Array[],
): void {
  const number = Number(block.header.number)
  stage.delete(keys.canonicalHash(number))
  for (const { key, others } of otherLocations(stage, number, transactionHashes)) {
    if (others === undefined) stage.delete(key)
    else stage.put(key, others)
  }
}

/** The entries of transactions in the index, without those of a block. */
function otherLocations(
  stage: StagedStore,
  number: number,
  transactionHashes: readonly Uint8Array[],
): { readonly key: Uint8Array; readonly others: Uint8Array | undefined }[] {
  const indexKeys = transactionHashes.map((hash) => keys.transactionIndex(hash))
  const locations = stage.getMany(indexKeys)
  return indexKeys.map((key, i) => {
    const stored = locations[i]
    return { key, others: stored && removeLocation(stored, number) }
  })
}

/**
 * Writes or removes the dev amendment of a stored block, and sets the flag in its record. Keeps the root of a replaced
 * state, by which pruning finds its nodes.
 */
export function putDevAmendment(
  stage: StagedStore,
  number: number,
  hash: Uint8Array,
  amendment: Uint8Array | undefined,
): void {
  const recordKey = keys.blockRecord(number, hash)
  const stored = stage.get(recordKey)
  if (stored === undefined) throw corrupt(`block ${bytesToHex(hash)} has no record`)
  const record = decodeBlockRecord(stored)
  const isAmended = amendment !== undefined
  const before = record.isAmended ? stage.get(keys.devAmendment(number, hash)) : undefined
  const replaced = before === undefined ? undefined : decodeDevAmendment(before).stateRoot
  if (record.isAmended !== isAmended) stage.put(recordKey, encodeBlockRecord({ ...record, isAmended }))
  if (replaced !== undefined) stage.put(keys.amendedState(number, hash, replaced.version), replaced.hash)
  if (amendment === undefined) stage.delete(keys.devAmendment(number, hash))
  else stage.put(keys.devAmendment(number, hash), amendment)
}
