/**
 * Replaces the whole chain by a dumped one. One batch replaces it, after every block has proved valid. Most of the
 * state is committed before that batch (chain/dev/loadSpill.ts). The flat view is built after it, unless the genesis
 * block remains (state/flatRebuild.ts).
 * @module
 */

import { equalBytes } from '../../base/primitives/bytes.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import {
  type AccountState,
  type MutableState,
  missingState,
  type StateRoot,
  type StoredState,
} from '../../state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../state/emptyRoot.ts'
import { requireState } from '../../state/errors.ts'
import type { GenesisAccount, GenesisAlloc } from '../../state/genesisState.ts'
import { keys } from '../../storage/schema.ts'
import { decodeBlock } from '../../types/blockCodec.ts'
import { ownHeader } from '../../types/headerCodec.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import { decodeStoredReceipts } from '../../types/receiptCodec.ts'
import type { ExecutionModules } from '../blockProcessor.ts'
import type { StoredHeader } from '../blockTables.ts'
import { putBlock, putDevAmendment, removeCanonical } from '../blockWrites.ts'
import { type DevAmendment, encodeDevAmendment, NO_AMENDMENT } from '../devAmendment.ts'
import { type ForkedBlock, putForkedBlock } from '../forkedBlock.ts'
import { encodedBlock, type PreparedBlock, withSenders } from '../preparedBlock.ts'
import { firstPosition, retreat } from '../termIndex/sectionBuilder.ts'
import { receiptsRoot } from '../validation/resultRules.ts'
import type { WriteTask } from '../writeTask.ts'
import { restoreCheckpoint } from './checkpoint.ts'
import type { AccountChange, DumpedBlock } from './dump.ts'
import { invalidDump } from './invalidDump.ts'
import { type LoadedRun, LoadedRuns } from './loadedRuns.ts'
import type { LoadSpill } from './loadSpill.ts'

/** A block to be loaded; its hash is computed. */
export type LoadedBlock = Omit<DumpedBlock, 'hash'>

/** Number of accounts whose trie nodes are written together. */
const ACCOUNTS_PER_STEP = 2000

export class ChainLoad {
  readonly #task: WriteTask
  readonly #modules: ExecutionModules
  /** State after the last block; before the first one, the state of the accounts so far. */
  #root: StoredState = EMPTY_STATE_ROOT
  #last: StoredHeader | undefined
  #pending: GenesisAccount[] = []
  #keepsGenesis = false
  #base: number
  /** State with the accounts. */
  #baseRoot: StateRoot = EMPTY_STATE_ROOT
  readonly #genesis: GenesisAlloc
  readonly #first: number
  readonly #spill: LoadSpill
  readonly #runs: LoadedRuns

  /** @param genesis accounts of the node's genesis block */
  constructor(task: WriteTask, genesis: GenesisAlloc, spill: LoadSpill) {
    this.#task = task
    this.#modules = task.base.modules
    this.#genesis = genesis
    this.#spill = spill
    this.#runs = new LoadedRuns(task)
    this.#first = task.blocks.firstNumber
    this.#base = this.#first
  }

  /** Number of the first block: that of the chain which is replaced. */
  get firstNumber(): number {
    return this.#first
  }

  get head(): StoredHeader | undefined {
    return this.#last
  }

  /**
   * Removes all blocks. The genesis block remains if it is the given one; its state need not be loaded then.
   * @param genesisHash 32 bytes
   * @param base lowest block whose state is available: that of the accounts
   */
  async begin(genesisHash: Uint8Array, base: number = this.#first): Promise<void> {
    const task = this.#task
    this.#base = base
    const genesis = await this.#task.resident(() => task.blocks.genesis)
    if (genesis === undefined) throw invalidDump('the chain has no genesis block')
    const sealedRoot = await this.#task.resident(() => task.blocks.sealedRoot(genesis))
    this.#keepsGenesis = base === this.#first && equalBytes(genesis.hash, genesisHash) && sealedRoot.isMissing !== true
    // All states of the loaded chain are new.
    for (const name of ['stateFrom', 'prunedTo'] as const) task.stage.delete(keys.meta(name))
    task.blocks.stateBound.from = 0
    if (!this.#keepsGenesis) this.#modules.states.dropFlat(task.stage)
    await task.stageHead(genesis)
    if (this.#keepsGenesis) {
      await restoreCheckpoint(task, undefined)
      this.#root = sealedRoot
      return
    }
    await this.#task.resident(() => {
      const undone = retreat(task.stage, this.#first)
      task.stageAll(undone)
      removeCanonical(task.stage, genesis, [])
    })
  }

  /** Adds accounts to the state of the first block, or slots to the last account. */
  async account(account: GenesisAccount): Promise<void> {
    if (this.#keepsGenesis) return
    this.#pending.push(account)
    if (this.#pending.length >= ACCOUNTS_PER_STEP) await this.#writeAccounts()
  }

  async #writeAccounts(): Promise<void> {
    const accounts = this.#pending
    if (accounts.length === 0) return
    this.#pending = []
    const { task, stage } = { task: this.#task, stage: this.#task.stage }
    this.#baseRoot = await this.#task.resident(() => {
      const state = this.#modules.states.mutable(this.#baseRoot, stage)
      for (const account of accounts) applyAccount(state, account)
      return state.persist({ version: task.nextVersion(), stage })
    })
    await this.#spill.spill(stage)
  }

  /** Announces derived blocks between the blocks that follow. */
  run(run: LoadedRun): void {
    this.#runs.announce(run)
  }

  /**
   * Adds the next block; the first one is the genesis block.
   * @throws {NodeError} INVALID_DUMP
   */
  async block(dumpBlock: LoadedBlock): Promise<void> {
    const prepared = this.#prepare(dumpBlock)
    const { header } = prepared.block
    const last = await this.#task.resident(() => this.#last && this.#runs.after(this.#last))
    if (last === undefined) this.#checkFirst(Number(header.number))
    else if (header.number !== last.header.number + 1n)
      throw invalidDump(`block ${header.number} follows block ${last.header.number}`)
    if (last !== undefined && !equalBytes(last.hash, header.parentHash))
      throw invalidDump(`block ${header.number} is not a child of the block before`)
    const receipts = checkedReceipts(prepared, dumpBlock)
    await this.#writeAccounts()
    const before = this.#root
    const stored = await this.#task.resident(() => this.#stage(prepared, dumpBlock, receipts))
    this.#last = dumpBlock.run === undefined ? stored : this.#runs.mark(stored, dumpBlock.run, before)
    await this.#task.stageHead(this.#last)
    await this.#spill.spill(this.#task.stage)
  }

  /** Adds the block of another chain with which this one begins, as the only block. */
  async forkedBlock(forked: ForkedBlock): Promise<void> {
    const task = this.#task
    const { stage } = task
    const { header, hash, totalDifficulty, size } = forked
    const base = { number: Number(header.number), hash, stateRoot: header.stateRoot }
    const stored: StoredHeader = { header, hash, totalDifficulty, size, stateRoot: { ...EMPTY_STATE_ROOT, base } }
    putForkedBlock(stage, forked)
    for (const { key, value } of firstPosition(base.number)) stage.put(key, value)
    stage.put(keys.meta('genesisHash'), hash)
    task.adoptGenesis(stored)
    this.#root = stored.stateRoot
    this.#last = stored
    await task.stageHead(stored)
  }

  #checkFirst(number: number): void {
    if (number === this.#first) return
    throw invalidDump(
      `it begins at block ${number}, and this chain at block ${this.#first}: load it into a new chain with --number=${number}`,
    )
  }

  #prepare({ rlp, senders, hashes }: LoadedBlock): PreparedBlock {
    const { consensus } = this.#modules
    try {
      const encoded = encodedBlock(decodeBlock(rlpDecode(rlp)), consensus, rlp)
      const header = ownHeader(encoded.block.header, encoded.encodings.header)
      return withSenders({ ...encoded, block: { ...encoded.block, header } }, senders, hashes)
    } catch (error) {
      throw invalidDump(`a block cannot be decoded: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #stage(prepared: PreparedBlock, dumpBlock: LoadedBlock, receipts: readonly StoredReceipt[]): StoredHeader {
    const { stage, blocks } = this.#task
    const { hash, block, rlp } = prepared
    const number = Number(block.header.number)
    const root = this.#stateAfter(prepared, dumpBlock)
    const isAmended = !equalBytes(root.hash, block.header.stateRoot)
    const sealedRoot = isAmended ? missingState(block.header.stateRoot) : root
    const before = this.#last?.totalDifficulty ?? 0n
    const totalDifficulty = before + block.header.difficulty
    const stored: StoredHeader = {
      header: block.header,
      hash,
      totalDifficulty,
      stateRoot: root,
      size: rlp.length,
      dev: dumpBlock.amendment?.environment,
    }
    if (number === this.#first && this.#keepsGenesis) return this.#amendGenesis(stored, dumpBlock)
    putBlock(stage, prepared, { ...stored, stateRoot: sealedRoot }, receipts, undefined)
    if (dumpBlock.terms !== undefined) stage.put(keys.blockTerms(number, hash), dumpBlock.terms)
    putDevAmendment(stage, number, hash, amendmentOf(dumpBlock.amendment, isAmended ? requireState(root) : undefined))
    blocks.remember(stored, block, prepared.transactions, receipts)
    if (number === this.#first) this.#task.adoptGenesis(stored)
    this.#root = root
    return stored
  }

  /** The genesis block is already stored: only its amendments are added. */
  #amendGenesis(stored: StoredHeader, { amendment }: LoadedBlock): StoredHeader {
    const isAmended = !equalBytes(stored.stateRoot.hash, stored.header.stateRoot)
    const encoded = amendmentOf(amendment, isAmended ? requireState(stored.stateRoot) : undefined)
    putDevAmendment(this.#task.stage, this.#first, stored.hash, encoded)
    this.#task.adoptGenesis(stored)
    this.#root = stored.stateRoot
    return stored
  }

  /** @throws {NodeError} INVALID_DUMP when the changes do not lead to the state that the block names */
  #stateAfter({ hash, block: { header } }: PreparedBlock, { changes, amendment }: LoadedBlock): StoredState {
    const number = Number(header.number)
    if (number < this.#base) return missingState(header.stateRoot)
    const expected = amendment?.stateRoot?.hash ?? header.stateRoot
    // The state of the accounts includes the amendments of its block.
    const isLoaded = number === this.#base && !this.#keepsGenesis
    let root: StoredState = isLoaded ? this.#baseRoot : this.#root
    const isOriginal = number === this.#first && changes?.length === 0
    if (!isLoaded && !isOriginal) {
      if (changes === undefined) throw invalidDump(`the changes of block ${number} are missing`)
      if (root.isMissing === true) throw invalidDump(`the state before block ${number} is missing`)
      const { stage } = this.#task
      const state = this.#modules.states.mutable(root, stage)
      for (const change of changes) applyChange(state, change)
      root = state.persist({ version: this.#task.nextVersion(), stage, block: { number, hash } })
    }
    if (equalBytes(root.hash, expected)) return root
    throw invalidDump(`the state after block ${number} is not the one that the block names`)
  }

  /**
   * Sets the whole state after the last block (dumps without the state of each block). Contracts of the node's genesis
   * block, such as those that the protocol calls, are added where the state has none.
   */
  async finalState(accounts: AsyncIterable<GenesisAccount> | Iterable<GenesisAccount>): Promise<void> {
    const head = this.#last
    if (head === undefined) throw invalidDump('it has no blocks')
    this.#baseRoot = EMPTY_STATE_ROOT
    this.#keepsGenesis = false
    this.#modules.states.dropFlat(this.#task.stage)
    for await (const account of accounts) await this.account(account)
    await this.#writeAccounts()
    for (const contract of this.#genesis) {
      if (contract.code === undefined || contract.code.length === 0) continue
      const { account, code } = await this.#accountAt(contract.address)
      if (code.length === 0) await this.account({ ...contract, balance: account?.balance ?? 0n })
    }
    await this.#writeAccounts()
    const stored = { ...head, stateRoot: this.#baseRoot }
    const encoded = amendmentOf({ ...NO_AMENDMENT, environment: head.dev }, this.#baseRoot)
    await this.#task.resident(() => putDevAmendment(this.#task.stage, Number(head.header.number), head.hash, encoded))
    this.#task.blocks.rememberHeader(stored)
    this.#task.setPointers(
      Number(head.header.number) === this.#first ? { genesis: stored, head: stored } : { head: stored },
    )
    this.#last = stored
  }

  #accountAt(address: Uint8Array): MaybePromise<{ account: AccountState | undefined; code: Uint8Array }> {
    return this.#task.resident(() => {
      const state = this.#modules.states.reader(this.#baseRoot, this.#task.stage)
      return { account: state.getAccount(address), code: state.getCode(address) }
    })
  }
}

function checkedReceipts({ block, transactions }: PreparedBlock, { receipts: encoded }: LoadedBlock): StoredReceipt[] {
  const { header } = block
  const count = block.transactions.length
  if (transactions.senders.length !== count || transactions.hashes.length !== count)
    throw invalidDump(`block ${header.number} has ${count} transactions, but ${transactions.senders.length} senders`)
  const receipts = encoded === undefined ? [] : decodedReceipts(encoded)
  if (receipts.length !== count || !equalBytes(receiptsRoot(receipts), header.receiptsRoot))
    throw invalidDump(`the receipts of block ${header.number} are not those that the block names`)
  return receipts
}

function decodedReceipts(encoded: Uint8Array): StoredReceipt[] {
  try {
    return decodeStoredReceipts(encoded)
  } catch (error) {
    throw invalidDump(error instanceof Error ? error.message : String(error))
  }
}

function amendmentOf(amendment: DevAmendment | undefined, stateRoot: StateRoot | undefined): Uint8Array | undefined {
  return encodeDevAmendment({ ...(amendment ?? NO_AMENDMENT), stateRoot })
}

function applyAccount(state: MutableState, { address, balance, nonce, code, storage }: GenesisAccount): void {
  state.createAccount(address)
  state.setBalance(address, balance)
  state.setNonce(address, nonce ?? 0n)
  if (code !== undefined) state.setCode(address, code)
  for (const [slot, value] of storage ?? []) state.setStorage(address, slot, value)
}

function applyChange(state: MutableState, { address, after, isErased, slots }: AccountChange): void {
  if (after === undefined) {
    state.deleteAccount(address)
    return
  }
  if (isErased) state.clearStorage(address)
  state.createAccount(address)
  state.setBalance(address, after.balance)
  state.setNonce(address, after.nonce)
  if (after.code !== undefined) state.setCode(address, after.code)
  for (const [slot, value] of slots) state.setStorage(address, slot, value)
}
