/**
 * Fetches state of one block of a remote: from pack and cache, and what they lack from the remote.
 * @module
 */
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, EMPTY_BYTES, equalBytes, padLeft, trimLeadingZeros, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import type { BaseAccount } from '../state/baseState.ts'
import { keyToText } from '../storage/keyText.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'
import { contradictedAnswer } from './errors.ts'
import type { AccountAnswer, AccountQuestion, StateRemote } from './stateRemote.ts'
import { decodeBaseAccount, encodeBaseAccount } from './stateValues.ts'

export interface StateFetchDeps {
  readonly source: ForkSource
  readonly remote: StateRemote
  /** 16 bytes: whose word is taken for what is not proven (fork/cacheKeys.ts) */
  readonly scope: Uint8Array
}

/** An account of which something is wanted, and what is known of it. */
export interface FetchedAccount {
  readonly address: Uint8Array
  /** Whether the account itself is wanted, with its code. */
  wantsAccount: boolean
  /** undefined while unknown; undefined in it: the account does not exist */
  account: { readonly value: BaseAccount | undefined } | undefined
  code: Uint8Array | undefined
  /** Values by the text of their slots; undefined while unknown. */
  readonly slots: Map<string, SlotEntry>
}

interface SlotEntry {
  readonly slot: Uint8Array
  value: Uint8Array | undefined
}

type CacheEntry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * Proven accounts and slots are found under hashes of their content, whatever block they were proven for.
 * @returns every account that the reads name, with everything that they want
 * @throws {NodeError} those of StateRemote
 */
export async function fetchState(
  deps: StateFetchDeps,
  block: RemoteBlock,
  reads: readonly StateRead[],
): Promise<FetchedAccount[]> {
  const accounts = wantedAccounts(reads)
  const fetch = new StateFetch(deps, block, accounts)
  await fetch.run()
  return accounts
}

/** @returns whether pack and cache have all that the reads want */
export async function isStored(
  deps: StateFetchDeps,
  block: RemoteBlock,
  reads: readonly StateRead[],
): Promise<boolean> {
  const missing = await new StateFetch(deps, block, wantedAccounts(reads)).recall()
  return missing.length === 0
}

function wantedAccounts(reads: readonly StateRead[]): FetchedAccount[] {
  const accounts = new Map<string, FetchedAccount>()
  for (const { address, slot } of reads) {
    const text = keyToText(address)
    let account = accounts.get(text)
    if (account === undefined) {
      account = { address, wantsAccount: false, account: undefined, code: undefined, slots: new Map() }
      accounts.set(text, account)
    }
    if (slot === undefined) account.wantsAccount = true
    else account.slots.set(keyToText(slot), { slot, value: undefined })
  }
  return [...accounts.values()]
}

class StateFetch {
  readonly #deps: StateFetchDeps
  readonly #block: RemoteBlock
  readonly #accounts: readonly FetchedAccount[]
  /** Hash of the code that an unknown account had when it was last seen. */
  readonly #lastCodes = new Map<FetchedAccount, Uint8Array>()
  /** Unknown accounts whose code from last time is stored. */
  readonly #withKnownCode = new Set<FetchedAccount>()

  constructor(deps: StateFetchDeps, block: RemoteBlock, accounts: readonly FetchedAccount[]) {
    this.#deps = deps
    this.#block = block
    this.#accounts = accounts
  }

  async run(): Promise<void> {
    for (let missing = await this.recall(); missing.length > 0; missing = await this.#recallRest()) {
      await this.#ask(missing)
    }
  }

  /** @returns accounts of which something is not stored */
  async recall(): Promise<FetchedAccount[]> {
    await this.#recallAccounts()
    return this.#recallRest()
  }

  async #recallRest(): Promise<FetchedAccount[]> {
    await this.#recallSlots()
    await this.#recallCodes()
    return this.#accounts.filter((account) => isIncomplete(account))
  }

  async #recallAccounts(): Promise<void> {
    const { source, remote, scope } = this.#deps
    const { stateRoot, hash } = this.#block
    const plain = remote.acceptsPlain
    const keys = this.#accounts.flatMap(({ address }) => [
      cacheKeys.account(stateRoot, address),
      cacheKeys.lastCode(address),
      ...(plain ? [cacheKeys.plainAccount(scope, hash, address)] : []),
    ])
    const values = await source.getMany(keys)
    for (const account of this.#accounts) {
      const [proven, lastCode, said] = values.splice(0, plain ? 3 : 2)
      const value = proven ?? said
      if (value !== undefined) account.account = { value: decodeBaseAccount(value) }
      else if (lastCode !== undefined) this.#lastCodes.set(account, lastCode)
    }
  }

  async #recallSlots(): Promise<void> {
    const { source, remote, scope } = this.#deps
    const wanted: { readonly key: Uint8Array; readonly entry: SlotEntry }[] = []
    for (const { address, account, slots } of this.#accounts) {
      const root = account === undefined ? undefined : storageRootOf(account.value)
      for (const entry of slots.values()) {
        if (entry.value !== undefined) continue
        if (root !== undefined && equalBytes(root, EMPTY_TRIE_ROOT)) entry.value = ZERO_WORD
        else if (root !== undefined) wanted.push({ key: cacheKeys.slot(root, entry.slot), entry })
        if (remote.acceptsPlain) {
          wanted.push({ key: cacheKeys.plainSlot(scope, this.#block.hash, address, entry.slot), entry })
        }
      }
    }
    if (wanted.length === 0) return
    const values = await source.getMany(wanted.map(({ key }) => key))
    wanted.forEach(({ entry }, i) => {
      const value = values[i]
      if (value !== undefined) entry.value ??= padLeft(value, 32)
    })
  }

  async #recallCodes(): Promise<void> {
    const wanted = this.#accounts.filter(({ wantsAccount, code }) => wantsAccount && code === undefined)
    const hashes = wanted.map((account) => this.#codeHash(account))
    const stored = await this.#deps.source.getMany(hashes.map((hash) => cacheKeys.code(hash ?? EMPTY_CODE_HASH)))
    wanted.forEach((account, i) => {
      const hash = hashes[i]
      const code = hash !== undefined && equalBytes(hash, EMPTY_CODE_HASH) ? EMPTY_BYTES : stored[i]
      if (account.account !== undefined) account.code = code
      else if (code !== undefined) this.#withKnownCode.add(account)
    })
  }

  /** Of an unknown account, the hash from last time. */
  #codeHash(account: FetchedAccount): Uint8Array | undefined {
    if (account.account === undefined) return this.#lastCodes.get(account)
    return account.account.value?.codeHash ?? EMPTY_CODE_HASH
  }

  async #ask(accounts: readonly FetchedAccount[]): Promise<void> {
    const questions = accounts.map((account) => this.#questionOf(account))
    const answers = await this.#deps.remote.ask(this.#block, questions)
    this.#deps.source.put(
      accounts.flatMap((account, i) =>
        this.#take(account, questions[i] as AccountQuestion, answers[i] as AccountAnswer),
      ),
    )
  }

  /**
   * The storage root of an account that was seen before may show that its slots are still those in the cache. They are
   * asked for in a second round, if at all.
   */
  #questionOf(account: FetchedAccount): AccountQuestion {
    const { address, wantsAccount, code, slots } = account
    const isUnknown = account.account === undefined
    const wasSeen = isUnknown && this.#lastCodes.has(account) && !this.#deps.remote.isPlain
    const missing = [...slots.values()].filter(({ value }) => value === undefined)
    return {
      address,
      wantsAccount: isUnknown,
      wantsCode: wantsAccount && code === undefined && !this.#withKnownCode.has(account),
      slots: wasSeen ? [] : missing.map(({ slot }) => slot),
    }
  }

  /** @returns what the sources keep */
  #take(account: FetchedAccount, { slots }: AccountQuestion, answer: AccountAnswer): CacheEntry[] {
    const { code, isProven } = answer
    this.#withKnownCode.delete(account)
    const entries: CacheEntry[] = []
    if (account.account === undefined && answer.account !== undefined) {
      account.account = answer.account
      entries.push(...this.#accountEntries(account.address, answer.account.value, isProven))
    }
    if (code !== undefined) {
      requireCode(account, code)
      account.code = code
      if (code.length > 0) entries.push([cacheKeys.code(keccak256(code)), code])
    }
    slots.forEach((slot, i) => {
      const value = answer.values[i] as Uint8Array
      const entry = account.slots.get(keyToText(slot)) as SlotEntry
      entry.value = value
      entries.push(...this.#slotEntries(account, slot, value, isProven))
    })
    return entries
  }

  #accountEntries(address: Uint8Array, account: BaseAccount | undefined, isProven: boolean): CacheEntry[] {
    const { stateRoot, hash } = this.#block
    const key = isProven
      ? cacheKeys.account(stateRoot, address)
      : cacheKeys.plainAccount(this.#deps.scope, hash, address)
    return [
      [key, encodeBaseAccount(account)],
      [cacheKeys.lastCode(address), account?.codeHash ?? EMPTY_CODE_HASH],
    ]
  }

  #slotEntries(
    { address, account }: FetchedAccount,
    slot: Uint8Array,
    value: Uint8Array,
    isProven: boolean,
  ): CacheEntry[] {
    const stored = trimLeadingZeros(value)
    if (!isProven) return [[cacheKeys.plainSlot(this.#deps.scope, this.#block.hash, address, slot), stored]]
    const root = account?.value?.storageRoot
    return root === undefined ? [] : [[cacheKeys.slot(root, slot), stored]]
  }
}

/** undefined where nobody proved it */
function storageRootOf(account: BaseAccount | undefined): Uint8Array | undefined {
  return account === undefined ? EMPTY_TRIE_ROOT : account.storageRoot
}

function isIncomplete({ wantsAccount, account, code, slots }: FetchedAccount): boolean {
  if (wantsAccount && (account === undefined || code === undefined)) return true
  for (const { value } of slots.values()) if (value === undefined) return true
  return false
}

/** A plain answer counts only if it agrees with an account that is proven. @throws {NodeError} PROOF_INVALID */
function requireCode({ address, account }: FetchedAccount, code: Uint8Array): void {
  const expected = account?.value?.codeHash
  if (expected === undefined || equalBytes(keccak256(code), expected)) return
  throw contradictedAnswer(`eth_getCode of ${bytesToHex(address)}`, `its hash is not ${bytesToHex(expected)}`)
}
