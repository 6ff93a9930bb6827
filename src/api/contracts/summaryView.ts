/**
 * The summary of a transaction.
 * @module
 */
import type { Decoded } from '../../abi/decoded.ts'
import type { MiningInfo } from '../../sealing/contract.ts'
import type { BlockTracing } from '../../tracing/contract.ts'
import type { PoolReader } from '../../txpool/contract.ts'
import type { ContractsBackend } from './resolve.ts'

export interface SummaryBackend extends ContractsBackend {
  readonly tracing: Pick<BlockTracing, 'canTrace' | 'block'>
  readonly pool: PoolReader
  readonly mining: Pick<MiningInfo, 'mining'>
}

export interface SourcePlace {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** A function that was running when the transaction failed. */
export interface FailureStep {
  readonly address: string | null
  readonly contract: string | null
  readonly function: string | null
  readonly source: SourcePlace | null
}

export interface TransferView {
  readonly standard: 'native' | 'ERC20' | 'ERC721' | 'ERC1155'
  /** null for ether */
  readonly token: string | null
  readonly from: string
  readonly to: string
  /** Decimal. */
  readonly amount: string
  /** Decimal; only for tokens with ids. */
  readonly tokenId?: string
}

/** Hex of an amount, a nonce or code. */
export interface BeforeAfter {
  readonly before: string
  readonly after: string
}

/** The variable is known where the compiler's layout is. */
export interface SlotChange extends BeforeAfter {
  readonly slot: string
  readonly variable: string | null
  readonly type: string | null
  readonly beforeText: string | null
  readonly afterText: string | null
}

export interface AccountChangeView {
  readonly address: string
  readonly contract: string | null
  readonly slots: readonly SlotChange[]
  readonly balance: BeforeAfter | null
  readonly nonce: BeforeAfter | null
  readonly code: BeforeAfter | null
}

export interface SummaryView {
  readonly status: 'success' | 'failed' | 'pending' | 'queued'
  readonly sentence: string
  /** Address of the called or created contract; null for an account without code. */
  readonly contract: string | null
  readonly contractName: string | null
  readonly call: Decoded | null
  readonly error: Decoded | null
  readonly errorText: string | null
  /** The failed function first. */
  readonly failure: readonly FailureStep[]
  readonly logs: readonly (Decoded | null)[]
  readonly transfers: readonly TransferView[]
  readonly created: string | null
  readonly console: readonly string[]
  readonly changes: readonly AccountChangeView[]
  readonly waitsFor: string | null
  /** Whether logs, transfers, changes or texts beyond a limit are missing. */
  readonly isCut: boolean
}

export const NOTHING: Omit<SummaryView, 'status' | 'sentence'> = {
  contract: null,
  contractName: null,
  call: null,
  error: null,
  errorText: null,
  failure: [],
  logs: [],
  transfers: [],
  created: null,
  console: [],
  changes: [],
  waitsFor: null,
  isCut: false,
}
