import type { MutableState } from '../../state/contract.ts'
import type { BlockExecutionInput, BlockOutcome } from '../transition/contract.ts'

export interface CrossCheckInput extends Omit<BlockExecutionInput, 'state' | 'evm' | 'keepRevertReasons'> {
  /** State after the parent block; used exclusively by the cross-check. */
  readonly state: MutableState
  /** State root after the parent block, 32 bytes. */
  readonly parentStateRoot: Uint8Array
  /** The outcome of our execution of the block. */
  readonly outcome: BlockOutcome
  /** State root after our execution, 32 bytes. */
  readonly stateRoot: Uint8Array
}

/** An account before the block, as far as the block read it. All values in hex. */
export interface PreStateAccount {
  readonly balance: string
  readonly nonce: string
  readonly code?: string
  readonly storage: Readonly<Record<string, string>>
}
