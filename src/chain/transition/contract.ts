/**
 * Input and outcome of executing a block.
 * @module
 */

import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { DevEnvironment, Evm } from '../../evm/evm.ts'
import type { ExecutionScheduler } from '../../evm/scheduler.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Block } from '../../types/block.ts'
import type { StoredReceipt } from '../../types/receipt.ts'
import type { ConsensusEngine } from '../engine.ts'
import type { PastHashes } from './blockHashHistory.ts'

export interface BlockExecutionInput {
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: Block
  /** One per transaction, 20 bytes each. */
  readonly senders: readonly Uint8Array[]
  /** State after the parent block; becomes the state after this block. Unusable after an invalid outcome. */
  readonly state: MutableState
  readonly evm: Evm
  readonly engine: ConsensusEngine
  /**
   * 20 bytes: the author, if the header does not identify it before sealing. Default: derived by the consensus engine.
   */
  readonly author?: Uint8Array | undefined
  /** Loads missing data; needed for stores that are not resident. */
  readonly residency?: Residency | undefined
  /** Yields to other work while the block runs; without it, execution is never interrupted. */
  readonly scheduler?: ExecutionScheduler | undefined
  readonly keepRevertReasons: boolean
  /** That of the parent. */
  readonly dev?: DevEnvironment | undefined
  /** 20 bytes: calls to it are recorded in the results of the transactions. */
  readonly watchedAddress?: Uint8Array | undefined
  /** Blocks before the parent that the contract of EIP-2935 lacks (dev chain). */
  readonly pastHashes?: PastHashes | undefined
  /** Hash of an ancestor of the block, for BLOCKHASH. */
  blockHash(number: bigint): Uint8Array | undefined
}

export type BlockOutcome =
  | {
      readonly kind: 'executed'
      readonly receipts: readonly StoredReceipt[]
      readonly gasUsed: bigint
      readonly blobGasUsed: bigint
      /** 256 bytes */
      readonly logsBloom: Uint8Array
      /** EIP-7685: `type ‖ data`, without empty requests; undefined before Prague */
      readonly requests: readonly Uint8Array[] | undefined
    }
  /** A transaction or system call that makes the block invalid. */
  | { readonly kind: 'invalid'; readonly reason: string }
