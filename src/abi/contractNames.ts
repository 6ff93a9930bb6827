/**
 * Names of contracts and functions for the log.
 * @module
 */

import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { delegationTarget } from '../evm/delegation.ts'
import type { CallFrame } from '../tracing/geth/callTree.ts'
import { checksumAddress } from '../types/address.ts'
import type { AbiIndex } from './abiIndex.ts'
import type { AbiLibrary } from './abiLibrary.ts'
import type { Artifact } from './artifact.ts'
import { withoutMetadata } from './codePattern.ts'

/** Code of an account in some state; undefined when it is not available. */
export type CodeReader = (address: Uint8Array) => Uint8Array | undefined

const MAX_CACHED = 1024
const SELECTOR_BYTES = 4

export class ContractNames {
  readonly #library: AbiLibrary | undefined
  /** By code, which is the same object while it is cached. */
  #contracts = new WeakMap<Uint8Array, Artifact | 'unknown'>()
  readonly #addresses = new Map<string, string>()
  #index: AbiIndex | undefined
  /** Kinds of contracts that have not been found so far; changed files may contain them. */
  #lacksCalled = false
  #lacksCreated = false

  constructor(library: AbiLibrary | undefined) {
    this.#library = library
  }

  /** undefined without `--abi` */
  get index(): AbiIndex | undefined {
    const index = this.#library?.index
    if (index !== this.#index) {
      this.#index = index
      this.#contracts = new WeakMap()
    }
    return index
  }

  /** Whether files should be read again. */
  get isRefreshDue(): boolean {
    if (this.#library === undefined || !(this.#lacksCalled || this.#lacksCreated)) return false
    return this.#library.isDue(this.#lacksCreated)
  }

  /** @returns one line for each new problem */
  async refresh(): Promise<string[]> {
    this.#lacksCalled = false
    this.#lacksCreated = false
    return (await this.#library?.refresh()) ?? []
  }

  /** The contract at an address; of a delegating account, the contract that it delegates to. */
  at(address: Uint8Array, code: CodeReader): Artifact | undefined {
    if (this.#library === undefined) return undefined
    const ownCode = code(address)
    const target = ownCode && delegationTarget(ownCode)
    const bytes = target === undefined ? ownCode : code(target)
    return bytes === undefined || bytes.length === 0 ? undefined : this.ofCode(bytes)
  }

  ofCode(code: Uint8Array): Artifact | undefined {
    const { index } = this
    if (index === undefined) return undefined
    const cached = this.#contracts.get(code)
    if (cached !== undefined) return cached === 'unknown' ? undefined : cached
    const contract = index.contract(code)
    this.#contracts.set(code, contract ?? 'unknown')
    if (contract === undefined) {
      this.#lacksCalled = true
      this.#library?.lacks(withoutMetadata(code).length)
    }
    return contract
  }

  /** The contract that a creation deploys. */
  created(initCode: Uint8Array): Artifact | undefined {
    const creator = this.index?.createdBy(initCode)
    if (creator === undefined && this.#library !== undefined) this.#lacksCreated = true
    return creator
  }

  /** The contract whose code a frame ran. */
  ofFrame({ type, to, input }: CallFrame, code: CodeReader): Artifact | undefined {
    if (type === 'CREATE' || type === 'CREATE2') return this.created(input)
    return to === undefined ? undefined : this.at(hexToBytes(to), code)
  }

  /** With a checksum. */
  address(address: Uint8Array): string {
    const key = bytesToHex(address)
    let text = this.#addresses.get(key)
    if (text === undefined) {
      if (this.#addresses.size >= MAX_CACHED) this.#addresses.clear()
      text = checksumAddress(address)
      this.#addresses.set(key, text)
    }
    return text
  }
}

/** The called function: by name and arguments, else by its selector. */
export function functionText(input: Uint8Array, index: AbiIndex | undefined, contract: Artifact | undefined): string {
  if (input.length === 0) return 'receive()'
  if (input.length < SELECTOR_BYTES) return `fallback(${bytesToHex(input)})`
  return index?.call(input, contract) ?? bytesToHex(input.subarray(0, SELECTOR_BYTES))
}
