import { LARGE_STATE_ENTRIES } from '../base/limits/limits.ts'
import { bytesToHexUnprefixed, EMPTY_BYTES, equalBytes, isZeroBytes, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { isEmptyAccount } from '../evm/emptyAccount.ts'
import type { Account } from '../evm/stateDb.ts'
import type { AccountRecord } from './account.ts'
import type { MutableState, StateRoot } from './contract.ts'
import type { KeyHashes } from './keyHashes.ts'
import { hashOf, type StateAccount, StateAccounts } from './stateAccounts.ts'
import type { CommittedWork } from './stateChanges.ts'
import type { StateCommit } from './stateCommit.ts'
import { StateSlots } from './stateSlots.ts'
import type { StateTries } from './stateTries.ts'
import type { KnownAccount } from './stateView.ts'
import type { StateWriter } from './stateWriter.ts'
import { UndoLog, type UndoTarget } from './undoLog.ts'

const NEW_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** Estimated memory of an account, a slot, and the trie nodes above a changed account. */
const ACCOUNT_BYTES = 512
const SLOT_BYTES = 384
const CHANGED_PATH_BYTES = 4096

/**
 * Touches of this account survive a revert (EIP-161 as implemented on mainnet): the RIPEMD-160 precompile. This applies
 * only to a touch that adds nothing to an empty account; a payment is reverted with its frame.
 */
const RIPEMD_ADDRESS: Uint8Array = Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? 3 : 0))

/** The immutable state under a world state. */
export interface WorldView {
  readonly hashes: KeyHashes
  getRecord(address: Uint8Array): AccountRecord | undefined
  codeOf(address: Uint8Array, codeHash: Uint8Array): Uint8Array
  getStorage(address: Uint8Array, slot: Uint8Array, known: KnownAccount): Uint8Array
  hasStorage(address: Uint8Array, record: AccountRecord | undefined): boolean
}

/** A mutable state with a journal, on top of an immutable view. */
export class WorldState implements MutableState {
  readonly #view: WorldView
  readonly #openWriter: () => StateWriter
  #accounts: StateAccounts
  #slots: StateSlots
  /** Opened on first use; calls do not need them. */
  #openedTries: StateTries | undefined
  readonly #undo = new UndoLog()
  /** Created by the first revert. */
  #undoTarget: UndoTarget | undefined
  /** Code set in this state, by hash in hex. */
  readonly #newCodes: Map<string, Uint8Array>
  #dirty: StateAccount[] = []
  #changed: StateAccount[] = []
  /** Accounts touched in this transaction; an entry is valid only if its `touchedIn` is this transaction. */
  #touched: StateAccount[] = []
  #ripemdTouch: StateAccount | undefined
  #transaction = 1
  #lastGeneration = 0

  /** @param openWriter called for the root and the commit */
  constructor(view: WorldView, openWriter: () => StateWriter) {
    this.#view = view
    this.#openWriter = openWriter
    this.#accounts = StateAccounts.create()
    this.#slots = StateSlots.create(view.hashes)
    this.#newCodes = new Map()
  }

  getAccount(address: Uint8Array): Account | undefined {
    return this.#load(address).current
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.#load(address)
    const codeHash = account.current?.codeHash
    if (codeHash === undefined || codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES
    if (account.code === undefined || account.codeOwner !== codeHash) {
      account.code = this.#codeOf(address, codeHash)
      account.codeOwner = codeHash
    }
    return account.code
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.#load(address)
    const id = this.#slots.find(account.id, slot)
    if (id >= 0 && this.#slots.generationOf(id) === account.generation) return this.#slots.value(id)
    if (account.generation !== 0 || !hasBaseStorage(account)) return ZERO_WORD
    return this.#slots.value(this.#loadSlot(account, slot, id))
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.#load(address)
    const id = this.#slots.find(account.id, slot)
    if (id >= 0) {
      const original = this.#slots.original(id, this.#transaction)
      if (original !== undefined) return original
    }
    return this.#storageBefore(account, slot, id)
  }

  hasStorage(address: Uint8Array): boolean {
    const account = this.#load(address)
    if (account.generation === 0 && this.#view.hasStorage(address, account.base)) return true
    return account.slots.some(
      (id) => this.#slots.generationOf(id) === account.generation && !isZeroBytes(this.#slots.value(id)),
    )
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    const account = this.#load(address)
    const { nonce, codeHash } = account.current ?? NEW_ACCOUNT
    this.#change(account, { nonce, balance, codeHash })
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    const account = this.#load(address)
    const { balance, codeHash } = account.current ?? NEW_ACCOUNT
    this.#change(account, { nonce, balance, codeHash })
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const account = this.#load(address)
    const { nonce, balance } = account.current ?? NEW_ACCOUNT
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    if (code.length > 0) this.#newCodes.set(bytesToHexUnprefixed(codeHash), code)
    this.#change(account, { nonce, balance, codeHash })
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const account = this.#load(address)
    const id = this.#writableSlot(account, slot)
    if (account.current === undefined) this.#change(account, NEW_ACCOUNT)
    const slots = this.#slots
    const hasValue = slots.generationOf(id) === account.generation
    if (hasValue ? slots.hasValue(id, value) : isZeroBytes(value)) return
    if (slots.original(id, this.#transaction) === undefined)
      slots.setOriginal(id, this.#transaction, this.#storageBefore(account, slot, id))
    if (this.#undo.isActive) {
      const { values, offset } = this.#undo.slot(id, slots.generationOf(id))
      slots.saveValue(id, values, offset)
    }
    slots.setValue(id, value, account.generation)
    this.#markSlot(account, id)
  }

  clearStorage(address: Uint8Array): void {
    this.#clear(this.#load(address))
  }

  touch(address: Uint8Array): void {
    const account = this.#load(address)
    this.#touch(account)
    const { current } = account
    if (current !== undefined && isEmptyAccount(current) && equalBytes(address, RIPEMD_ADDRESS)) {
      this.#ripemdTouch = account
    }
  }

  createAccount(address: Uint8Array): void {
    const account = this.#load(address)
    if (account.current === undefined) this.#change(account, NEW_ACCOUNT)
    else this.#touch(account)
  }

  deleteAccount(address: Uint8Array): void {
    this.#delete(this.#load(address))
  }

  checkpoint(): void {
    this.#undo.checkpoint()
  }

  endSection(): void {
    this.#undo.commit()
  }

  /**
   * Writes the state into a staged batch. The world state must not be used afterwards.
   * @returns the root of the new state
   * @throws {StoreMiss} before anything was staged; the call can be repeated
   */
  persist(options: StateCommit): StateRoot {
    this.#flush()
    return this.#openWriter().commit(this.work(), options)
  }

  /** The parts of the state from which it is committed. */
  work(): CommittedWork {
    const tries = this.#tries
    return {
      view: tries.view,
      tries,
      slots: this.#slots,
      changed: this.#changed,
      newCode: (codeHash) => this.#newCodes.get(bytesToHexUnprefixed(codeHash)),
    }
  }

  /** Whether root and commit take so long that they should pause (largeState.ts). */
  get isLarge(): boolean {
    return this.#slots.count + this.#changed.length > LARGE_STATE_ENTRIES
  }

  revert(): void {
    this.#undoTarget ??= this.#createUndoTarget()
    this.#undo.revert(this.#undoTarget)
  }

  /** Addresses of all accounts that were read or changed so far, including reverted accesses; 20 bytes each. */
  knownAccounts(): Uint8Array[] {
    return this.#accounts.addresses()
  }

  /** Estimated memory, excluding data shared with other states. */
  get estimatedBytes(): number {
    let bytes = this.#accounts.count * ACCOUNT_BYTES + this.#slots.count * SLOT_BYTES
    bytes += this.#changed.length * CHANGED_PATH_BYTES
    for (const code of this.#newCodes.values()) bytes += code.length
    return bytes
  }

  beginTransaction(): void {
    this.#transaction++
    this.#touched = []
    this.#ripemdTouch = undefined
  }

  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void {
    const destroyed = options.selfDestructs.map((address) => this.#load(address))
    for (const account of destroyed) this.#delete(account)
    if (!options.clearEmpty) return
    if (this.#ripemdTouch !== undefined) this.#touch(this.#ripemdTouch)
    for (const account of this.#touched) {
      const isTouched = account.touchedIn === this.#transaction
      if (isTouched && account.current !== undefined && isEmptyAccount(account.current)) this.#delete(account)
    }
  }

  rootHash(): Uint8Array {
    this.#flush()
    return this.#tries.accounts.rootHash()
  }

  fork(): WorldState {
    const copy = new WorldState(this.#view, this.#openWriter)
    copy.#accounts = this.#accounts.clone()
    copy.#slots = this.#slots.clone()
    copy.#openedTries = this.#openedTries?.fork(copy.#slots)
    for (const [hash, code] of this.#newCodes) copy.#newCodes.set(hash, code)
    const own = (account: StateAccount): StateAccount => copy.#accounts.at(account.id)
    copy.#dirty = this.#dirty.map(own)
    copy.#changed = this.#changed.map(own)
    copy.#touched = this.#touched.map(own)
    copy.#ripemdTouch = this.#ripemdTouch && own(this.#ripemdTouch)
    copy.#transaction = this.#transaction
    copy.#lastGeneration = this.#lastGeneration
    return copy
  }

  get #tries(): StateTries {
    this.#openedTries ??= this.#openWriter().tries(this.#slots)
    return this.#openedTries
  }

  #load(address: Uint8Array): StateAccount {
    const known = this.#accounts.find(address)
    if (known !== undefined) return known
    const base: AccountRecord | undefined = this.#view.getRecord(address)
    return this.#accounts.add(address, base)
  }

  #codeOf(address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    const own = this.#newCodes.size === 0 ? undefined : this.#newCodes.get(bytesToHexUnprefixed(codeHash))
    return own ?? this.#view.codeOf(address, codeHash)
  }

  /** Reads a slot of the base, which becomes its value unless the storage was cleared. */
  #loadSlot(account: StateAccount, slot: Uint8Array, known: number): number {
    const slots = this.#slots
    const isRead = known >= 0 && slots.hasBase(known)
    let base: Uint8Array | undefined
    if (!isRead && hasBaseStorage(account)) {
      hashOf(account, this.#view)
      base = this.#view.getStorage(account.address, slot, account)
    }
    const id = known >= 0 ? known : this.#addSlot(account, slot)
    if (!isRead) slots.setBase(id, base ?? ZERO_WORD)
    if (account.generation === 0 && slots.generationOf(id) !== 0) slots.setValue(id, slots.base(id), 0)
    return id
  }

  #writableSlot(account: StateAccount, slot: Uint8Array): number {
    const id = this.#slots.find(account.id, slot)
    if (account.generation === 0) {
      return id >= 0 && this.#slots.generationOf(id) === 0 ? id : this.#loadSlot(account, slot, id)
    }
    if (account.clearedIn === this.#transaction && account.generationBefore === 0) {
      return this.#loadSlot(account, slot, id)
    }
    return id >= 0 ? id : this.#addSlot(account, slot)
  }

  #addSlot(account: StateAccount, slot: Uint8Array): number {
    const id = this.#slots.add(account.id, slot)
    account.addSlot(id)
    return id
  }

  /** The value, at the start of the transaction, of a slot that was not written in it. */
  #storageBefore(account: StateAccount, slot: Uint8Array, known: number): Uint8Array {
    const isCleared = account.clearedIn === this.#transaction
    const generation = isCleared ? account.generationBefore : account.generation
    if (known >= 0 && this.#slots.generationOf(known) === generation) return this.#slots.value(known)
    if (generation !== 0 || !hasBaseStorage(account)) return ZERO_WORD
    return this.#slots.base(this.#loadSlot(account, slot, known))
  }

  #change(account: StateAccount, next: Account | undefined): void {
    if (this.#undo.isActive) this.#undo.account(account.id, account.current)
    account.current = next
    this.#mark(account)
    this.#touch(account)
  }

  #clear(account: StateAccount): void {
    if (this.#undo.isActive) this.#undo.clear(account.id, account.generation)
    if (account.clearedIn !== this.#transaction) {
      account.clearedIn = this.#transaction
      account.generationBefore = account.generation
    }
    account.generation = ++this.#lastGeneration
    this.#mark(account)
  }

  #delete(account: StateAccount): void {
    if (account.current === undefined) return
    if (hasBaseStorage(account) || account.slots.length > 0) this.#clear(account)
    this.#change(account, undefined)
  }

  #touch(account: StateAccount): void {
    if (account.touchedIn === this.#transaction) return
    if (this.#undo.isActive) this.#undo.touch(account.id, account.touchedIn)
    account.touchedIn = this.#transaction
    this.#touched.push(account)
  }

  #mark(account: StateAccount): void {
    if (account.isDirty) return
    account.isDirty = true
    this.#dirty.push(account)
    if (account.isChanged) return
    account.isChanged = true
    this.#changed.push(account)
  }

  #markSlot(account: StateAccount, slot: number): void {
    if (this.#slots.markDirty(slot)) account.addDirtySlot(slot)
    this.#mark(account)
  }

  #createUndoTarget(): UndoTarget {
    return {
      undoAccount: (id, before) => {
        const account = this.#accounts.at(id)
        account.current = before
        this.#mark(account)
      },
      undoSlot: (id, generation, values, offset) => {
        this.#slots.setValue(id, values.subarray(offset, offset + 32), generation)
        this.#markSlot(this.#accounts.at(this.#slots.accountOf(id)), id)
      },
      undoClear: (id, generation) => {
        const account = this.#accounts.at(id)
        account.generation = generation
        this.#mark(account)
      },
      undoTouch: (id, touchedIn) => {
        this.#accounts.at(id).touchedIn = touchedIn
      },
    }
  }

  #flush(): void {
    this.#tries.flush(this.#dirty)
    this.#dirty = []
  }
}

/** Whether slots may have had values at the initial root. */
function hasBaseStorage({ base }: StateAccount): boolean {
  return base !== undefined && (base.storageRoot !== EMPTY_TRIE_ROOT || base.fromBase !== undefined)
}
