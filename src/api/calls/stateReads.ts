/**
 * Records the reads of executions: accounts, slots and hashes of ancestors.
 * @module
 */
import { MAX_WITNESS_READS } from '../../base/limits/limits.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Account } from '../../evm/stateDb.ts'
import { ByteTable } from '../../state/byteTable.ts'
import type { MutableState } from '../../state/contract.ts'
import type { CallInput, MessageSimulator } from './contract.ts'

/** An account that was read. */
export interface AccountReads {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes each */
  readonly slots: readonly Uint8Array[]
}

interface Reads extends AccountReads {
  readonly slots: Uint8Array[]
}

/** Collects reads, also of frames that were reverted. */
export class StateReads {
  readonly #addresses = new ByteTable(20)
  readonly #slots = new ByteTable(32)
  readonly #accounts: Reads[] = []
  #count = 0
  #oldestHash: bigint | undefined

  /** In the order of the first read. */
  get accounts(): readonly AccountReads[] {
    return this.#accounts
  }

  /** The lowest block whose hash was read. */
  get oldestHash(): bigint | undefined {
    return this.#oldestHash
  }

  /** @throws {NodeError} RESPONSE_TOO_LARGE */
  account(address: Uint8Array): Reads {
    const known = this.#addresses.find(0, address)
    if (known >= 0) return this.#accounts[known] as Reads
    this.#countRead()
    const reads: Reads = { address: address.slice(), slots: [] }
    this.#addresses.add(0, address)
    this.#accounts.push(reads)
    return reads
  }

  /** @throws {NodeError} RESPONSE_TOO_LARGE */
  slot(address: Uint8Array, slot: Uint8Array): void {
    const { slots } = this.account(address)
    const account = this.#addresses.find(0, address)
    if (this.#slots.find(account, slot) >= 0) return
    this.#countRead()
    this.#slots.add(account, slot)
    slots.push(slot.slice())
  }

  blockHash(number: bigint): void {
    if (this.#oldestHash === undefined || number < this.#oldestHash) this.#oldestHash = number
  }

  #countRead(): void {
    this.#count++
    if (this.#count > MAX_WITNESS_READS) {
      const message = `the call reads more than ${MAX_WITNESS_READS} accounts and slots`
      throw new NodeError({ code: 'RESPONSE_TOO_LARGE' }, message)
    }
  }
}

/** Executes like another simulator and records what the executions read. */
export function recordingReads(calls: MessageSimulator, reads: StateReads): MessageSimulator {
  return {
    limits: (signal, timeoutMs) => calls.limits(signal, timeoutMs),
    slicer: () => calls.slicer(),
    run: (input) => calls.run(recorded(input, reads)),
  }
}

function recorded(input: CallInput, reads: StateReads): CallInput {
  const { environment } = input.block
  const blockHash = (number: bigint): Uint8Array | undefined => {
    const hash = environment.blockHash(number)
    if (hash !== undefined) reads.blockHash(number)
    return hash
  }
  return {
    ...input,
    state: new ReadRecorder(input.state, reads),
    block: { ...input.block, environment: { ...environment, blockHash } },
  }
}

/** Forwards everything to a state. A request that needs an account counts as a read of it. */
class ReadRecorder implements MutableState {
  readonly #state: MutableState
  readonly #reads: StateReads

  constructor(state: MutableState, reads: StateReads) {
    this.#state = state
    this.#reads = reads
  }

  getAccount(address: Uint8Array): Account | undefined {
    this.#reads.account(address)
    return this.#state.getAccount(address)
  }

  getCode(address: Uint8Array): Uint8Array {
    this.#reads.account(address)
    return this.#state.getCode(address)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#reads.slot(address, slot)
    return this.#state.getStorage(address, slot)
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#reads.slot(address, slot)
    return this.#state.getOriginalStorage(address, slot)
  }

  hasStorage(address: Uint8Array): boolean {
    this.#reads.account(address)
    return this.#state.hasStorage(address)
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    this.#reads.account(address)
    this.#state.setBalance(address, balance)
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#reads.account(address)
    this.#state.setNonce(address, nonce)
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#reads.account(address)
    this.#state.setCode(address, code)
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#reads.slot(address, slot)
    this.#state.setStorage(address, slot, value)
  }

  clearStorage(address: Uint8Array): void {
    this.#reads.account(address)
    this.#state.clearStorage(address)
  }

  touch(address: Uint8Array): void {
    this.#reads.account(address)
    this.#state.touch(address)
  }

  createAccount(address: Uint8Array): void {
    this.#reads.account(address)
    this.#state.createAccount(address)
  }

  deleteAccount(address: Uint8Array): void {
    this.#reads.account(address)
    this.#state.deleteAccount(address)
  }

  checkpoint(): void {
    this.#state.checkpoint()
  }

  endSection(): void {
    this.#state.endSection()
  }

  revert(): void {
    this.#state.revert()
  }

  beginTransaction(): void {
    this.#state.beginTransaction()
  }

  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void {
    this.#state.endTransaction(options)
  }

  rootHash(): Uint8Array {
    return this.#state.rootHash()
  }

  fork(): MutableState {
    return new ReadRecorder(this.#state.fork(), this.#reads)
  }
}
