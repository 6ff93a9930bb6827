import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { Account, type Address } from '@ethereumjs/util'
import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes, isZeroBytes, padLeft } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import type { ForkRules } from '../../config/forks.ts'
import { ReadOnlyAccountError } from '../errors.ts'
import type { StateDB } from '../stateDb.ts'
import type { RunControl } from './runControl.ts'

/** Any non-empty root: indicates that an account without code and nonce has storage (EIP-7610). */
const SOME_ROOT: Uint8Array = new Uint8Array(32)

/**
 * Adapts our synchronous state to the EVM's asynchronous state manager. The EVM would treat a `StoreMiss` as a failed
 * call, so the adapter handles it: the run waits until the data is loaded, and the read is repeated.
 */
export class StateAdapter implements StateManagerInterface {
  readonly #state: StateDB
  readonly #control: RunControl
  readonly #refusesStorage: boolean
  /** Contracts created over existing storage (before EIP-7610): their original storage counts as empty. */
  readonly #emptied = new Set<string>()
  /** Whether any SSTORE ran. */
  storageWritten = false
  /** The first error other than a miss; recorded because the EVM may swallow it. */
  failure: { readonly error: unknown } | undefined

  constructor(state: StateDB, control: RunControl, { eips }: Pick<ForkRules, 'eips'>) {
    this.#state = state
    this.#refusesStorage = eips.has(7610)
    this.#control = control
  }

  readonly originalStorageCache: StateManagerInterface['originalStorageCache'] = {
    get: (address: Address, key: Uint8Array) =>
      this.resident(() =>
        this.#emptied.has(address.toString())
          ? EMPTY_BYTES
          : trimZero(this.#state.getOriginalStorage(address.bytes, key)),
      ),
    clear: () => {},
  }

  /** Runs a read or write; after each `StoreMiss` it waits for the data and repeats. */
  async resident<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (error instanceof ReadOnlyAccountError) throw new EVMError(EVMError.errorMessages.REVERT)
        if (!(error instanceof StoreMiss)) {
          this.failure ??= { error }
          throw error
        }
        await this.#control.miss(error.request)
      }
    }
  }

  getAccount(address: Address): Promise<Account | undefined> {
    return this.resident(() => {
      const account = this.#state.getAccount(address.bytes)
      if (account === undefined) return undefined
      const mayBeOverwritten =
        this.#refusesStorage && account.nonce === 0n && equalBytes(account.codeHash, EMPTY_CODE_HASH)
      const root = mayBeOverwritten && this.#state.hasStorage(address.bytes) ? SOME_ROOT : EMPTY_TRIE_ROOT
      return new Account(account.nonce, account.balance, root, account.codeHash)
    })
  }

  putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    return this.resident(() => {
      const { bytes } = address
      const stateAccount = this.#state.getAccount(bytes)
      if (stateAccount === undefined) this.#state.createAccount(bytes)
      const isPaid = account.balance !== (stateAccount?.balance ?? 0n)
      const isRaised = account.nonce !== (stateAccount?.nonce ?? 0n)
      if (isPaid) this.#state.setBalance(bytes, account.balance)
      if (isRaised) this.#state.setNonce(bytes, account.nonce)
      // A change also touches the account. Unlike a touch without a change, it is always reverted with its frame, at
      // every address.
      if (!isPaid && !isRaised) this.#state.touch(bytes)
    })
  }

  deleteAccount(address: Address): Promise<void> {
    return this.resident(() => this.#state.deleteAccount(address.bytes))
  }

  modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    return this.resident(() => {
      if (fields.balance !== undefined) this.#state.setBalance(address.bytes, fields.balance)
      if (fields.nonce !== undefined) this.#state.setNonce(address.bytes, fields.nonce)
    })
  }

  putCode(address: Address, code: Uint8Array): Promise<void> {
    return this.resident(() => this.#state.setCode(address.bytes, code))
  }

  /** Whether some accounts may not be changed. */
  get hasReadOnlyAccounts(): boolean {
    return this.#state.isReadOnly !== undefined
  }

  async requireWritable(address: Uint8Array): Promise<void> {
    const isReadOnly = await this.resident(() => this.#state.isReadOnly?.(address))
    if (isReadOnly === true) throw new EVMError(EVMError.errorMessages.REVERT)
  }

  getCode(address: Address): Promise<Uint8Array> {
    return this.resident(() => this.#state.getCode(address.bytes))
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.resident(() => trimZero(this.#state.getStorage(address.bytes, key)))
  }

  putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.storageWritten = true
    return this.resident(() => this.#state.setStorage(address.bytes, key, padLeft(value, 32)))
  }

  clearStorage(address: Address): Promise<void> {
    return this.resident(() => {
      if (!this.#state.hasStorage(address.bytes)) return
      this.#state.clearStorage(address.bytes)
      this.#emptied.add(address.toString())
    })
  }

  async checkpoint(): Promise<void> {
    this.#state.checkpoint()
  }

  async commit(): Promise<void> {
    this.#state.endSection()
  }

  async revert(): Promise<void> {
    this.#state.revert()
  }

  getStateRoot(): Promise<Uint8Array> {
    return Promise.reject(unsupported('getStateRoot'))
  }

  setStateRoot(): Promise<void> {
    return Promise.reject(unsupported('setStateRoot'))
  }

  hasStateRoot(): Promise<boolean> {
    return Promise.reject(unsupported('hasStateRoot'))
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    throw unsupported('shallowCopy')
  }
}

/** The EVM represents a zero value as an empty byte string. */
function trimZero(value: Uint8Array): Uint8Array {
  return isZeroBytes(value) ? EMPTY_BYTES : value
}

function unsupported(method: string): TypeError {
  return new TypeError(`the EVM does not call ${method}`)
}
