/**
 * Input and result of a simulation of blocks.
 * @see execution-apis, eth_simulateV1
 * @module
 */
import type { Log } from '../../types/receipt.ts'
import type { CallObject } from '../calls/contract.ts'
import type { AccountOverride, BlockOverrides } from '../calls/overrides.ts'
import type { BlockView } from '../viewTypes.ts'

/** One block of a simulation, as given by the client. */
export interface BlockStateCall {
  readonly blockOverrides: BlockOverrides
  readonly stateOverrides: readonly AccountOverride[]
  readonly calls: readonly CallObject[]
}

export interface SimulatePayload {
  readonly blockStateCalls: readonly BlockStateCall[]
  /** Whether transfers of value are reported as logs. */
  readonly traceTransfers: boolean
  /** Whether nonces, balances and fees are enforced as for real transactions. */
  readonly validation: boolean
  readonly returnFullTransactions: boolean
}

export interface SimulatedCallError {
  readonly kind: 'reverted' | 'halted'
  readonly message: string
  /** Output of a revert. */
  readonly data: Uint8Array | undefined
}

export interface SimulatedCall {
  readonly returnData: Uint8Array
  readonly logs: readonly Log[]
  readonly gasUsed: bigint
  /** Before refunds. */
  readonly maxUsedGas: bigint
  readonly error: SimulatedCallError | undefined
}

export interface SimulatedBlockView extends BlockView {
  readonly transactionHashes: readonly Uint8Array[]
  readonly calls: readonly SimulatedCall[]
}
