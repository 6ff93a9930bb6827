import { bytesToHexUnprefixed, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import type { CallStart, FrameView } from '../../evm/hooks.ts'
import type { Account } from '../../evm/stateDb.ts'
import type { TraceState } from '../contract.ts'
import { isCreate } from '../structLog/opcodes.ts'

const SSTORE = 0x55
const CALL = 0xf1
const SELFDESTRUCT = 0xff
const WORD_BYTES = 32
const ADDRESS_BYTES = 20

interface AccountRecord {
  readonly address: Uint8Array
  readonly account: Account | undefined
  /** Code that the account got in this transaction. */
  readonly code: Uint8Array | undefined
}

interface Write {
  readonly key: string
  readonly before: Uint8Array | undefined
}

/**
 * The state that a tracer sees before an opcode. A step is traced after its opcode: by then the opcode may have moved
 * value, or the frame that it ends may have been reverted. An EVM may also keep written slots to itself until the end
 * of the message. So all accounts and slots that change are kept here as they were.
 */
export class LiveState {
  readonly #now: TraceState
  /** Accounts that opcodes may have changed, as they were before the traced opcode. */
  readonly #accounts = new Map<string, AccountRecord>()
  /** The accounts that the traced opcode may change. */
  readonly #noted: Uint8Array[] = []
  /** Slots that were written, by account and slot. */
  readonly #slots = new Map<string, Uint8Array>()
  readonly #writes: Write[] = []
  /** Number of writes at the start of each open frame. */
  readonly #frames: number[] = []
  #store: { readonly key: string; readonly value: Uint8Array } | undefined

  constructor(now: TraceState) {
    this.#now = now
  }

  /** Notes what the opcode may change. */
  beginStep(frame: FrameView): void {
    const { opcode, stackSize } = frame
    if (opcode === SSTORE && stackSize >= 2) this.#noteStore(frame)
    else if (isCreate(opcode)) this.#note(frame.address.slice())
    else if (opcode === CALL && stackSize >= 2) this.#noteBoth(frame, 1)
    else if (opcode === SELFDESTRUCT && stackSize >= 1) this.#noteBoth(frame, 0)
  }

  /** The account of a creation whose opcode is being traced. */
  create({ address, value, runs }: CallStart): void {
    const account = this.#now.getAccount(address)
    const balance = (account?.balance ?? 0n) - value
    const isNew = account !== undefined && runs !== 'nothing'
    if (isNew && balance > 0n) this.#keep(address, { ...account, nonce: 0n, balance, codeHash: EMPTY_CODE_HASH })
    else this.#keep(address, isNew ? undefined : account)
    this.#noted.push(address)
  }

  /** Shows the state after the opcode. @param isDone whether the opcode did not fail */
  endStep(isDone: boolean): void {
    for (const address of this.#noted.splice(0)) this.#refresh(address)
    const store = this.#store
    this.#store = undefined
    if (store === undefined || !isDone) return
    this.#writes.push({ key: store.key, before: this.#slots.get(store.key) })
    this.#slots.set(store.key, store.value)
  }

  enter({ caller, address, kind, depth }: CallStart): void {
    this.#frames.push(this.#writes.length)
    if (depth === 0 || kind === 'CREATE' || kind === 'CREATE2') {
      this.#refresh(caller)
      this.#refresh(address)
    }
  }

  exit(isFailed: boolean): void {
    // A revert restores balances, and a creation that succeeds has code.
    for (const { address } of [...this.#accounts.values()]) this.#refresh(address)
    const first = this.#frames.pop() ?? 0
    if (!isFailed) return
    for (const { key, before } of this.#writes.splice(first).reverse()) {
      if (before === undefined) this.#slots.delete(key)
      else this.#slots.set(key, before)
    }
  }

  account(address: Uint8Array): Account | undefined {
    const record = this.#accounts.get(bytesToHexUnprefixed(address))
    return record === undefined ? this.#now.getAccount(address) : record.account
  }

  code(address: Uint8Array): Uint8Array {
    const account = this.account(address)
    if (account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    return this.#accounts.get(bytesToHexUnprefixed(address))?.code ?? this.#now.getCode(address)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#slots.get(keyOf(address, slot)) ?? this.#now.getStorage(address, slot)
  }

  #noteStore({ stack, stackSize, address }: FrameView): void {
    const slot = wordOf(stack, stackSize - 1)
    const key = keyOf(address, slot)
    if (!this.#slots.has(key)) this.#slots.set(key, this.#now.getStorage(address, slot).slice())
    this.#store = { key, value: wordOf(stack, stackSize - 2) }
  }

  /** @param below distance of the other account's word from the top of the stack */
  #noteBoth({ stack, stackSize, address }: FrameView, below: number): void {
    this.#note(address.slice())
    this.#note(wordOf(stack, stackSize - 1 - below).subarray(WORD_BYTES - ADDRESS_BYTES))
  }

  #note(address: Uint8Array): void {
    if (!this.#accounts.has(bytesToHexUnprefixed(address))) this.#refresh(address)
    this.#noted.push(address)
  }

  #refresh(address: Uint8Array): void {
    this.#keep(address, this.#now.getAccount(address))
  }

  #keep(address: Uint8Array, account: Account | undefined): void {
    const key = bytesToHexUnprefixed(address)
    const before = this.#accounts.get(key)
    const hasNewCode =
      before !== undefined &&
      account !== undefined &&
      (before.account === undefined || !equalBytes(before.account.codeHash, account.codeHash))
    const code = hasNewCode ? this.#now.getCode(address) : before?.code
    this.#accounts.set(key, { address, account, code })
  }
}

function keyOf(address: Uint8Array, slot: Uint8Array): string {
  return bytesToHexUnprefixed(address) + bytesToHexUnprefixed(slot)
}

/** @returns 32 bytes, big-endian */
function wordOf(stack: Uint8Array, index: number): Uint8Array {
  return stack.slice(WORD_BYTES * index, WORD_BYTES * (index + 1)).reverse()
}
