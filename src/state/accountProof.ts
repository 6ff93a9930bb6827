/**
 * Accounts and slots as another node proves them.
 * @see EIP-1186
 * @module
 */
import {
  bytesToHex,
  equalBytes,
  isZeroBytes,
  padLeft,
  tryHexToBigInt,
  tryHexToBytes,
  ZERO_WORD,
} from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { rlpDecode } from '../base/primitives/rlp.ts'
import { invalidProof } from '../trie/errors.ts'
import { type KeyProof, verifyProof, verifyProofs } from '../trie/verifyProof.ts'
import { decodeAccount, encodeAccount, encodeSlot } from './account.ts'
import type { AccountState } from './contract.ts'

export interface ProvenAccount {
  /** undefined for an account that does not exist */
  readonly account: AccountState | undefined
  /** 32-byte values in the order of the slots */
  readonly values: readonly Uint8Array[]
}

/**
 * Checks the answer of `eth_getProof`. Only what the nodes show counts, and the answer must agree with it.
 * @param stateRoot 32 bytes
 * @param address 20 bytes
 * @param slots the slots that were asked for, 32 bytes each
 * @param answer the result of the method
 * @throws {NodeError} PROOF_INVALID with the datum that is wrong
 */
export function verifyAccountProof(
  stateRoot: Uint8Array,
  address: Uint8Array,
  slots: readonly Uint8Array[],
  answer: unknown,
): ProvenAccount {
  const name = `account ${bytesToHex(address)}`
  const claim = new Claim(answer, name)
  if (!equalBytes(claim.data('address', 20), address)) throw invalidProof(name, 'it is for another address')
  const account = provenAccount(stateRoot, address, claim.nodes('accountProof'), name)
  checkAccount(claim, account)
  const storageRoot = account?.storageRoot ?? EMPTY_TRIE_ROOT
  return { account, values: provenSlots(storageRoot, slots, claim.list('storageProof'), name) }
}

/**
 * @param nodes RLP, root first
 * @param name of the account, for messages
 * @returns undefined for an account that does not exist
 * @throws {NodeError} PROOF_INVALID
 */
export function provenAccount(
  stateRoot: Uint8Array,
  address: Uint8Array,
  nodes: readonly Uint8Array[],
  name: string,
): AccountState | undefined {
  const rlp = verifyProof(stateRoot, keccak256(address), nodes, name)
  return rlp === undefined ? undefined : accountOfProof(rlp, name)
}

/** The account in a leaf of a state that another node proves. @throws {NodeError} PROOF_INVALID */
export function accountOfProof(rlp: Uint8Array, name: string): AccountState {
  const account = attempt(() => decodeAccount(rlp, 0))
  if (account === undefined || !equalBytes(encodeAccount(account, account.storageRoot), rlp)) {
    throw invalidProof(name, 'the leaf is not an account')
  }
  const { nonce, balance, codeHash, storageRoot } = account
  return { nonce, balance, codeHash, storageRoot }
}

/** The value in a leaf of a storage that another node proves, 32 bytes. @throws {NodeError} PROOF_INVALID */
export function slotOfProof(rlp: Uint8Array | undefined, name: string): Uint8Array {
  if (rlp === undefined) return ZERO_WORD
  const value = attempt(() => rlpDecode(rlp))
  if (!(value instanceof Uint8Array) || value.length > 32) throw invalidProof(name, 'the leaf is not a slot')
  const word = padLeft(value, 32)
  if (!equalBytes(encodeSlot(word), rlp)) throw invalidProof(name, 'the value of the leaf is not minimal')
  return word
}

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function checkAccount(claim: Claim, account: AccountState | undefined): void {
  claim.mustBe('nonce', account?.nonce ?? 0n)
  claim.mustBe('balance', account?.balance ?? 0n)
  checkHash(claim, 'codeHash', account === undefined, account?.codeHash ?? EMPTY_CODE_HASH)
  checkHash(claim, 'storageHash', account === undefined, account?.storageRoot ?? EMPTY_TRIE_ROOT)
}

/** Some nodes name zero as the hashes of an account that does not exist. */
function checkHash(claim: Claim, field: string, isAbsent: boolean, proven: Uint8Array): void {
  const claimed = claim.data(field, 32)
  if (equalBytes(claimed, proven) || (isAbsent && isZeroBytes(claimed))) return
  throw invalidProof(`${field} of ${claim.name}`, `it is ${bytesToHex(proven)}, not ${bytesToHex(claimed)}`)
}

function provenSlots(
  storageRoot: Uint8Array,
  slots: readonly Uint8Array[],
  answers: readonly unknown[],
  account: string,
): Uint8Array[] {
  if (answers.length !== slots.length) throw invalidProof(account, `${answers.length} slots, not ${slots.length}`)
  const names = slots.map((slot) => `slot ${bytesToHex(slot)} of ${account}`)
  const claims = answers.map((answer, i) => new Claim(answer, names[i] as string))
  const proofs = claims.map((claim, i): KeyProof => {
    const slot = slots[i] as Uint8Array
    claim.mustBeSlot(slot)
    return { key: keccak256(slot), nodes: claim.nodes('proof'), datum: claim.name }
  })
  return verifyProofs(storageRoot, proofs).map((rlp, i) => {
    const claim = claims[i] as Claim
    const value = slotOfProof(rlp, claim.name)
    claim.mustBe('value', BigInt(bytesToHex(value)))
    return value
  })
}

/** The content of an answer. */
class Claim {
  readonly name: string
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(answer: unknown, name: string) {
    if (typeof answer !== 'object' || answer === null) throw invalidProof(name, 'it is no object')
    this.#fields = answer as Readonly<Record<string, unknown>>
    this.name = name
  }

  data(field: string, length: number): Uint8Array {
    const text = this.#fields[field]
    const bytes = typeof text === 'string' ? tryHexToBytes(text) : undefined
    if (bytes?.length !== length) throw this.#malformed(field, `${length} bytes`)
    return bytes
  }

  mustBe(field: string, proven: bigint): void {
    const text = this.#fields[field]
    const claimed = typeof text === 'string' ? tryHexToBigInt(text, 64) : undefined
    if (claimed === undefined) throw this.#malformed(field, 'a number')
    if (claimed !== proven) throw invalidProof(`${field} of ${this.name}`, `it is ${proven}, not ${claimed}`)
  }

  /** Nodes write the key in different forms: with or without leading zeros, and `0x` for slot 0. */
  mustBeSlot(slot: Uint8Array): void {
    const { key } = this.#fields
    const claimed = key === '0x' ? 0n : typeof key === 'string' ? tryHexToBigInt(key, 64) : undefined
    if (claimed !== BigInt(bytesToHex(slot))) throw invalidProof(this.name, 'it is for another slot')
  }

  list(field: string): readonly unknown[] {
    const value = this.#fields[field]
    if (!Array.isArray(value)) throw this.#malformed(field, 'a list')
    return value
  }

  nodes(field: string): Uint8Array[] {
    return this.list(field).map((text, i) => {
      const bytes = typeof text === 'string' ? tryHexToBytes(text) : undefined
      if (bytes === undefined) throw this.#malformed(`${field}[${i}]`, 'a byte string')
      return bytes
    })
  }

  #malformed(field: string, expected: string) {
    return invalidProof(this.name, `${field} is not ${expected}`)
  }
}
