/**
 * The block of another chain on which a chain begins. Only its header is stored; its body and its receipts are read from the
 * other chain, and so is its state (state/baseState.ts).
 * @module
 */
import { keys } from '../storage/schema.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { Header } from '../types/block.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { encodeBlockRecord, encodeNumber } from './blockRecord.ts'

export interface ForkedBlock {
  readonly header: Header
  /** 32 bytes; not always that of the header's encoding, since other chains have fields that are unknown here */
  readonly hash: Uint8Array
  readonly totalDifficulty: bigint
  /** Length of the block's RLP, as the remote says. */
  readonly size: number
}

/** Stages header, record and place in the canonical chain. */
export function putForkedBlock(stage: StagedStore, { header, hash, totalDifficulty, size }: ForkedBlock): void {
  const number = Number(header.number)
  const record = { totalDifficulty, stateVersion: 0, size, isAmended: false, isBaseState: true }
  stage.put(keys.header(number, hash), encodeHeader(header))
  stage.put(keys.numberByHash(hash), encodeNumber(number))
  stage.put(keys.blockRecord(number, hash), encodeBlockRecord(record))
  stage.put(keys.canonicalHash(number), hash)
}
