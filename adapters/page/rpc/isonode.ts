/**
 * Answers of the group ISONODE, in which the node says what contracts and transactions mean.
 * @module
 */
import type { Hex } from './types.ts'

/** A parameter, function, event or error of an ABI, as compilers write them. */
export interface AbiParameter {
  readonly name?: string
  readonly type: string
  readonly indexed?: boolean
  readonly internalType?: string
  readonly components?: readonly AbiParameter[]
}

export interface AbiEntry {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
  readonly stateMutability?: 'pure' | 'view' | 'nonpayable' | 'payable'
}

export interface ContractInfo {
  /** Keccak-256 of the code without metadata and immutables. */
  readonly id: Hex
  readonly name: string
  readonly sourceName: string | null
  readonly matchedBy: 'code' | 'interface' | 'selectors'
  /** Target of a proxy (EIP-1967, EIP-1822, EIP-1167, beacon). */
  readonly implementation: Hex | null
  /** EIP-7702 */
  readonly delegation: Hex | null
  readonly abi: readonly AbiEntry[]
  readonly selectors: readonly Hex[]
  readonly hasSource: boolean
  readonly hasLayout: boolean
  readonly compiler: string | null
}

export interface ContractSource {
  readonly id: Hex
  readonly name: string
  readonly sourceName: string | null
  readonly language: string
  readonly compiler: string | null
  readonly isOptimised: boolean
  readonly viaIR: boolean
  readonly abi: readonly AbiEntry[]
  readonly sources: readonly { readonly id: number; readonly path: string; readonly content: string | null }[]
}

/** Integers in decimal, bytes and addresses in hex; an indexed value of dynamic type is known by its hash only. */
export type ArgumentValue = string | boolean | readonly ArgumentValue[] | { readonly hash: Hex }

export interface Argument {
  readonly name: string
  readonly type: string
  readonly value: ArgumentValue
  readonly indexed?: true
  readonly components?: readonly Argument[]
}

export interface Decoded {
  readonly name: string
  readonly signature: string
  readonly selector: Hex
  readonly args: readonly Argument[]
  readonly contract: string | null
  /** How sure the names are: by the contract's own ABI, by another known one, or by a standard interface. */
  readonly certainty: 'contract' | 'known' | 'standard'
}

export interface Change<T> {
  readonly before: T
  readonly after: T
}

export interface SlotChange extends Change<Hex> {
  readonly slot: Hex
  readonly variable: string | null
  readonly type: string | null
  readonly beforeText: string | null
  readonly afterText: string | null
}

export interface AccountChanges {
  readonly address: Hex
  readonly contract: string | null
  readonly slots: readonly SlotChange[]
  readonly balance: Change<Hex> | null
  readonly nonce: Change<Hex> | null
  readonly code: Change<Hex> | null
}

export interface Transfer {
  readonly standard: 'native' | 'ERC20' | 'ERC721' | 'ERC1155'
  readonly token: Hex | null
  readonly from: Hex
  readonly to: Hex
  /** Decimal, in wei or in the smallest unit of the token. */
  readonly amount: string
  /** Decimal. */
  readonly tokenId?: string
}

export interface FailureFrame {
  /** null: of a contract whose creation failed */
  readonly address: Hex | null
  readonly contract: string | null
  readonly function: string | null
  readonly source: { readonly path: string; readonly line: number; readonly column: number } | null
}

export interface Summary {
  readonly status: 'success' | 'failed' | 'pending' | 'queued'
  readonly sentence: string
  readonly contract: Hex | null
  readonly contractName: string | null
  readonly call: Decoded | null
  readonly error: Decoded | null
  readonly errorText: string | null
  readonly failure: readonly FailureFrame[]
  readonly logs: readonly (Decoded | null)[]
  readonly transfers: readonly Transfer[]
  readonly created: Hex | null
  readonly console: readonly string[]
  readonly changes: readonly AccountChanges[]
  readonly waitsFor: string | null
}
