/**
 * The chain as data that do not depend on the database's format: blocks with their receipts, and the changes of the
 * state by each block, including amendments.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, EMPTY_BYTES, equalBytes, padLeft } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import { type AccountRecord, DELETED_ACCOUNT, decodeFlatAccount } from '../../state/account.ts'
import { decodeStateDiff, type StateDiff } from '../../state/stateDiff.ts'
import { keys } from '../../storage/schema.ts'
import { blockDataMissing, corrupt } from '../blockRecord.ts'
import type { BlockStore } from '../blockStore.ts'
import type { StoredHeader } from '../blockTables.ts'
import { type DevAmendment, decodeDevAmendment } from '../devAmendment.ts'
import { encodeRunRecord } from '../emptyRuns/runRecord.ts'
import type { ChainCheckpoint } from './checkpoint.ts'

/** An account after a block that changed it. */
export interface AccountChange {
  /** 20 bytes */
  readonly address: Uint8Array
  /** undefined: the account was deleted */
  readonly after:
    | {
        readonly nonce: bigint
        readonly balance: bigint
        /** undefined: unchanged */
        readonly code: Uint8Array | undefined
      }
    | undefined
  /** Whether the storage was erased; `slots` are then those of the storage after it. */
  readonly isErased: boolean
  /** Changed slots with their new values, 32 bytes each. */
  readonly slots: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface DumpedBlock {
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
  /** 20 bytes each */
  readonly senders: readonly Uint8Array[]
  /** 32 bytes each */
  readonly hashes: readonly Uint8Array[]
  /** Encoded (types/receiptCodec.ts); undefined without transactions. */
  readonly receipts: Uint8Array | undefined
  /** Encoded (chain/termIndex/blockTerms.ts). */
  readonly terms: Uint8Array | undefined
  /** undefined: the state after the block is not available */
  readonly changes: readonly AccountChange[] | undefined
  readonly amendment: DevAmendment | undefined
  /** Record of the run to which the block belongs (chain/emptyRuns/runRecord.ts). */
  readonly run?: Uint8Array | undefined
}

/** Derived blocks of the canonical chain. */
export interface DumpedRun {
  readonly first: number
  readonly last: number
  /** Encoded (chain/emptyRuns/runRecord.ts). */
  readonly record: Uint8Array
  /** Hash of the last block. */
  readonly lastHash: Uint8Array
}

/** Reads the canonical blocks up to a checkpoint. Any read may throw `StoreMiss`. */
export class ChainDump {
  readonly #reader: KeyValueReader
  readonly #blocks: BlockStore
  readonly #point: ChainCheckpoint

  constructor(reader: KeyValueReader, blocks: BlockStore, point: ChainCheckpoint) {
    this.#reader = reader
    this.#blocks = blocks
    this.#point = point
  }

  get head(): StoredHeader {
    return this.#point.block
  }

  /** Number of the first block. */
  get firstNumber(): number {
    return this.#blocks.firstNumber
  }

  /** @throws {NodeError} CHAIN_MOVED when a reorganisation has removed blocks since */
  header(number: number): StoredHeader {
    const header = number === Number(this.head.header.number) ? this.head : this.#blocks.headerByNumber(number)
    const isHere = header !== undefined && this.#blocks.isCanonical(header.hash)
    if (isHere) return header
    throw new NodeError({ code: 'CHAIN_MOVED' }, 'blocks were removed while the state was dumped')
  }

  /** All derived blocks, ascending. */
  runs(): DumpedRun[] {
    const segments = this.#blocks.runs.segments(0, Number(this.head.header.number))
    return Array.from(segments, ({ run, first, last }) => {
      return { first, last, record: encodeRunRecord(run.stored.record), lastHash: run.hashOf(last) }
    })
  }

  #runRecord({ run }: StoredHeader): Uint8Array | undefined {
    const stored = run && this.#blocks.runs.byId(run.run.id)?.stored
    return stored && encodeRunRecord(stored.record)
  }

  block(header: StoredHeader): DumpedBlock {
    const { hash } = header
    const number = Number(header.header.number)
    const rlp = this.#blocks.blockRlp(hash)
    const transactions = this.#blocks.transactionKeys(hash)
    if (rlp === undefined || transactions === undefined) throw blockDataMissing('body', number, hash)
    const isHead = equalBytes(hash, this.head.hash)
    const [receipts, terms, storedDiff, storedAmendment] = this.#reader.getMany([
      keys.receipts(number, hash),
      keys.blockTerms(number, hash),
      keys.stateDiff(number, hash),
      keys.devAmendment(number, hash),
    ])
    const diff = isHead ? this.#point.diff : storedDiff
    const amendment = isHead ? this.#point.amendment : storedAmendment
    return {
      hash,
      rlp,
      ...transactions,
      receipts,
      terms,
      changes: diff === undefined ? this.#noChanges(header) : this.#changesOf(decodeStateDiff(diff)),
      amendment: amendment === undefined ? undefined : decodeDevAmendment(amendment),
      run: this.#runRecord(header),
    }
  }

  #changesOf(diff: StateDiff): AccountChange[] {
    return changesOf(diff, { reader: this.#reader, isFork: this.#blocks.isFork })
  }

  /** A block whose state is available has a diff, except for a genesis block that was not amended. */
  #noChanges({ header, stateRoot }: StoredHeader): readonly AccountChange[] | undefined {
    return Number(header.number) === this.#blocks.firstNumber && stateRoot.isMissing !== true ? [] : undefined
  }
}

interface DumpedStore {
  readonly reader: KeyValueReader
  readonly isFork: boolean
}

function changesOf({ accounts, left }: StateDiff, store: DumpedStore): AccountChange[] {
  const { reader } = store
  const changes: AccountChange[] = []
  for (const { hash, before, after, slots } of accounts) {
    const [recordBefore, recordAfter] = [recordOf(before), recordOf(after)]
    changes.push({
      address: preimage(reader, hash),
      after: recordAfter && accountAfter(store, recordAfter, recordBefore?.codeHash ?? EMPTY_CODE_HASH),
      isErased: left.some(({ owner }) => equalBytes(owner, hash)) || losesBaseSlots(recordBefore, recordAfter),
      slots: recordAfter ? slots.map((slot) => [preimage(reader, slot.hash), padLeft(slot.after, 32)]) : [],
    })
  }
  return changes
}

/** Whether slots of the base were erased with the others. */
function losesBaseSlots(before: AccountRecord | undefined, after: AccountRecord | undefined): boolean {
  return before?.fromBase !== undefined && after?.fromBase === undefined
}

function recordOf(flatAccount: Uint8Array): AccountRecord | undefined {
  const record = flatAccount.length === 0 ? undefined : decodeFlatAccount(flatAccount)
  return record === DELETED_ACCOUNT ? undefined : record
}

function accountAfter(
  { reader, isFork }: DumpedStore,
  { nonce, balance, codeHash }: AccountRecord,
  codeBefore: Uint8Array,
): AccountChange['after'] {
  if (equalBytes(codeHash, codeBefore)) return { nonce, balance, code: undefined }
  if (equalBytes(codeHash, EMPTY_CODE_HASH)) return { nonce, balance, code: EMPTY_BYTES }
  const code = reader.get(keys.code(codeHash))
  // Code of the other chain is not stored.
  if (code === undefined && isFork) return { nonce, balance, code: undefined }
  if (code === undefined) throw corrupt(`code ${bytesToHex(codeHash)} is missing`)
  return { nonce, balance, code }
}

function preimage(reader: KeyValueReader, hash: Uint8Array): Uint8Array {
  const preimage = reader.get(keys.preimage(hash))
  if (preimage === undefined) throw unknownPreimage(hash)
  return preimage
}

/** A chain without preimages cannot be dumped. */
export function unknownPreimage(hash: Uint8Array): NodeError {
  const message = `the address or slot with the hash ${bytesToHex(hash)} is unknown: the database was created with --state-preimages=false`
  return new NodeError({ code: 'MISSING_PREIMAGE' }, message)
}
