import { bytesToHex, compareBytes, equalBytes, isZeroBytes, quantity } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import { delegationTarget } from '../../evm/delegation.ts'
import { isEmptyAccount } from '../../evm/emptyAccount.ts'
import { createAddress } from '../../types/address.ts'
import type { TraceBegin, TracedTransaction, TraceEnd, TraceState } from '../contract.ts'
import { HeldBytes } from '../heldBytes.ts'
import { flagsOf, invalidConfig } from './config.ts'
import type { DeferredTracer, ResultWriter } from './deferredTracer.ts'
import { TouchedState } from './touchedState.ts'

interface PrestateOptions {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  readonly includeEmpty: boolean
}

/** The JSON form of an account, without undefined members. */
interface AccountText {
  balance?: string
  code?: string
  codeHash?: string
  nonce?: number
  storage?: Record<string, string>
}

/** Address → account, ascending. */
type StateText = Record<string, AccountText>

/** A touched account in its original state. */
interface Touched {
  /** hex */
  readonly key: string
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes each, ascending */
  readonly slots: readonly Uint8Array[]
}

/**
 * The accounts and slots that a transaction touches, with their values before it; or, with `diffMode`, its changes.
 * @param config `diffMode`; `disableCode`, `disableStorage`: omit these; `includeEmpty`: include accounts that were
 *   empty
 * @see go-ethereum documentation, "Built-in tracers": prestateTracer
 */
export function prestateTracer(config: unknown): () => DeferredTracer {
  const options = flagsOf(config, ['diffMode', 'disableCode', 'disableStorage', 'includeEmpty'])
  if (options.diffMode && options.includeEmpty) throw invalidConfig('cannot use diffMode with includeEmpty')
  return () => new PrestateTracer(options)
}

class PrestateTracer implements DeferredTracer {
  readonly #options: PrestateOptions
  readonly #touched = new TouchedState()
  #context: TraceBegin | undefined
  #held = new HeldBytes()

  constructor(options: PrestateOptions) {
    this.#options = options
  }

  get hooks(): TouchedState['hooks'] {
    return this.#touched.hooks
  }

  begin(context: TraceBegin): void {
    const { transaction, block } = context
    this.#context = context
    this.#touched.add(transaction.from)
    this.#touched.add(block.beneficiary)
    for (const authority of transaction.authorities ?? []) this.#touched.add(authority)
  }

  result(outcome: TraceEnd): ResultWriter {
    const { before, now, transaction } = this.#context as TraceBegin
    this.#touched.settle()
    this.#touched.add(recipient(transaction, before))
    this.#addDelegates(before, now)
    this.#held = new HeldBytes()
    const value = this.#options.diffMode ? this.#difference(before, now, outcome) : this.#prestate(before)
    return (out) => out.value(value)
  }

  #addDelegates(before: TraceState, now: TraceState): void {
    // go-ethereum looks at the recipient before the authorizations of the transaction, at other accounts after them.
    const { root, inner } = this.#touched.called
    if (root !== undefined) this.#addDelegate(before, root)
    for (const address of inner) this.#addDelegate(now, address)
  }

  #addDelegate(state: TraceState, address: Uint8Array): void {
    const delegate = delegationTarget(state.getCode(address))
    if (delegate !== undefined) this.#touched.add(delegate)
  }

  #prestate(before: TraceState): StateText {
    const state: StateText = {}
    for (const touched of this.#accounts()) {
      if (this.#isLeftOut(before, touched)) continue
      const account = this.#accountText(before, touched.address)
      if (touched.slots.length > 0) account.storage = storageText(before, touched)
      state[touched.key] = account
    }
    return state
  }

  #difference(before: TraceState, now: TraceState, { result }: TraceEnd): { post: StateText; pre: StateText } {
    const deleted = new Set(result.selfDestructs.map(bytesToHex))
    const pre: StateText = {}
    const post: StateText = {}
    for (const touched of this.#accounts()) {
      const isDeleted = deleted.has(touched.key)
      const change = isDeleted ? undefined : this.#change(before, now, touched)
      if (change === undefined && !isDeleted) continue
      if (change !== undefined) post[touched.key] = change.post
      if (this.#isLeftOut(before, touched)) continue
      const account = this.#accountText(before, touched.address)
      const storage = change?.storageBefore ?? storageText(before, touched)
      if (Object.keys(storage).length > 0) account.storage = storage
      pre[touched.key] = account
    }
    return { post, pre }
  }

  #accounts(): Touched[] {
    const { disableStorage } = this.#options
    const touched = this.#touched.accounts.map(({ address, slots }) => ({
      key: bytesToHex(address),
      address,
      slots: disableStorage ? [] : slots.sort(compareBytes),
    }))
    return touched.sort((a, b) => compareBytes(a.address, b.address))
  }

  #isLeftOut(before: TraceState, { address }: Touched): boolean {
    if (this.#options.includeEmpty) return false
    const account = before.getAccount(address)
    return account === undefined || isEmptyAccount(account)
  }

  #accountText(state: TraceState, address: Uint8Array): AccountText {
    const account = state.getAccount(address)
    const text: AccountText = { balance: quantity(account?.balance ?? 0n) }
    if (account === undefined) return text
    if (!equalBytes(account.codeHash, EMPTY_CODE_HASH)) {
      if (!this.#options.disableCode) text.code = this.#codeText(state, address)
      text.codeHash = bytesToHex(account.codeHash)
    }
    if (account.nonce > 0n) text.nonce = Number(account.nonce)
    return text
  }

  #codeText(state: TraceState, address: Uint8Array): string {
    const code = bytesToHex(state.getCode(address))
    this.#held.add(code.length)
    return code
  }

  /** @returns undefined when nothing changed */
  #change(
    before: TraceState,
    now: TraceState,
    touched: Touched,
  ): { post: AccountText; storageBefore: Record<string, string> } | undefined {
    const { address } = touched
    const old = before.getAccount(address)
    const account = now.getAccount(address)
    const post: AccountText = {}
    let isChanged = false
    if ((old?.balance ?? 0n) !== (account?.balance ?? 0n)) {
      isChanged = true
      post.balance = quantity(account?.balance ?? 0n)
    }
    const codeHash = account?.codeHash ?? EMPTY_CODE_HASH
    if (!equalBytes(old?.codeHash ?? EMPTY_CODE_HASH, codeHash)) {
      isChanged = true
      if (!this.#options.disableCode) post.code = this.#codeText(now, address)
      post.codeHash = bytesToHex(codeHash)
    }
    if ((old?.nonce ?? 0n) !== (account?.nonce ?? 0n)) {
      isChanged = true
      if (account !== undefined && account.nonce > 0n) post.nonce = Number(account.nonce)
    }
    const storage = storageChange(before, now, touched)
    if (Object.keys(storage.post).length > 0) post.storage = storage.post
    return isChanged || storage.isChanged ? { post, storageBefore: storage.pre } : undefined
  }
}

/** For a creation, the address of the new contract, even when the creation never began. */
function recipient({ from, to }: TracedTransaction, before: TraceState): Uint8Array {
  return to ?? createAddress(from, before.getAccount(from)?.nonce ?? 0n)
}

function storageText(state: TraceState, { address, slots }: Touched): Record<string, string> {
  const storage: Record<string, string> = {}
  for (const slot of slots) storage[bytesToHex(slot)] = bytesToHex(state.getStorage(address, slot))
  return storage
}

/** Changed slots; zero represents an absent slot and is omitted. */
function storageChange(
  before: TraceState,
  now: TraceState,
  { address, slots }: Touched,
): { isChanged: boolean; pre: Record<string, string>; post: Record<string, string> } {
  const pre: Record<string, string> = {}
  const post: Record<string, string> = {}
  let isChanged = false
  for (const slot of slots) {
    const old = before.getStorage(address, slot)
    const value = now.getStorage(address, slot)
    if (equalBytes(old, value)) continue
    const key = bytesToHex(slot)
    isChanged = true
    if (!isZeroBytes(old)) pre[key] = bytesToHex(old)
    if (!isZeroBytes(value)) post[key] = bytesToHex(value)
  }
  return { isChanged, pre, post }
}
