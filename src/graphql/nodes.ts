/**
 * Sources of the object types. Data are read on first use and shared by the fields of a request.
 * @module
 */
import { type LoadedBlock, loadBlock, minedTransaction, receiptViews } from '../api/views.ts'
import type { LogView, MinedTransaction, ReceiptView } from '../api/viewTypes.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { type AccountState, missingState, type StateReader } from '../state/contract.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import type { Header } from '../types/block.ts'
import { hashHeader } from '../types/headerCodec.ts'

/** Reads that nodes need. */
export interface NodeReader {
  readonly chain: ChainReader
  /** @throws {NodeError} CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE */
  state(header: ChainHeader): StateReader
}

/** A stored block, or an ommer in the form of a block without a body. */
export class BlockNode {
  readonly header: ChainHeader
  readonly isOmmer: boolean
  readonly #reader: NodeReader
  #loadedBlock: LoadedBlock | undefined
  #receipts: readonly ReceiptView[] | undefined
  #state: StateReader | undefined

  constructor(reader: NodeReader, header: ChainHeader, isOmmer = false) {
    this.#reader = reader
    this.header = header
    this.isOmmer = isOmmer
  }

  /** undefined when the body is not stored, and for an ommer. */
  get loadedBlock(): LoadedBlock | undefined {
    if (this.isOmmer) return undefined
    this.#loadedBlock ??= loadBlock(this.#reader.chain, this.header)
    return this.#loadedBlock
  }

  /** One per transaction; undefined when they are not stored. */
  get receipts(): readonly ReceiptView[] | undefined {
    this.#receipts ??= receiptViews(this.#reader.chain, this.header)
    return this.#receipts
  }

  /** @throws {NodeError} CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE */
  get state(): StateReader {
    this.#state ??= this.#reader.state(this.header)
    return this.#state
  }

  transaction(index: number): MinedNode | undefined {
    const mined = this.loadedBlock && minedTransaction(this.loadedBlock, index)
    return mined && { kind: 'mined', block: this, mined }
  }

  ommer(index: number): BlockNode | undefined {
    const header = this.loadedBlock?.body.ommers[index]
    return header && new BlockNode(this.#reader, ommerHeader(header), true)
  }
}

/** The state of an ommer was never computed here. */
function ommerHeader(header: Header): ChainHeader {
  return { header, hash: hashHeader(header), totalDifficulty: 0n, stateRoot: missingState(header.stateRoot) }
}

/** An account in one state; all zero and empty when it does not exist. */
export class AccountNode {
  readonly address: Uint8Array
  readonly #stateOf: () => StateReader
  #account: AccountState | undefined
  #isRead = false

  constructor(address: Uint8Array, stateOf: () => StateReader) {
    this.address = address
    this.#stateOf = stateOf
  }

  get state(): StateReader {
    return this.#stateOf()
  }

  get account(): AccountState | undefined {
    if (!this.#isRead) {
      this.#account = this.state.getAccount(this.address)
      this.#isRead = true
    }
    return this.#account
  }
}

export interface MinedNode {
  readonly kind: 'mined'
  readonly block: BlockNode
  readonly mined: MinedTransaction
}

/** In the pool. */
export interface WaitingNode {
  readonly kind: 'waiting'
  readonly pooled: PooledTransaction
}

export type TransactionNode = MinedNode | WaitingNode

export interface LogNode {
  readonly block: BlockNode
  readonly view: LogView
}
