import type { BftAccess } from '../../../api/bftAccess.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { ApiGroup } from '../../method.ts'

export interface BftBackend {
  readonly chain: ChainReader
  /** undefined on chains of other engines, whose endpoints do not serve these methods */
  readonly bft: BftAccess | undefined
}

/** An engine with its methods. */
export interface BftMethods {
  readonly engine: 'ibft2' | 'qbft'
  readonly prefix: 'ibft' | 'qbft'
  readonly group: ApiGroup
}

export const IBFT_METHODS: BftMethods = { engine: 'ibft2', prefix: 'ibft', group: 'IBFT' }
export const QBFT_METHODS: BftMethods = { engine: 'qbft', prefix: 'qbft', group: 'QBFT' }

/** Whether the head belongs to the engine. */
export function isAtHead({ bft, chain }: BftBackend, { engine }: BftMethods): boolean {
  return bft?.validators.engineOf(chain.head)?.name === engine
}

/** Whether the head belongs to the engine and its validators change by votes. */
export function votesAtHead(backend: BftBackend, methods: BftMethods): boolean {
  if (!isAtHead(backend, methods)) return false
  return backend.bft?.validators.engineOf(backend.chain.head)?.settings.validatorContract === undefined
}

/** @throws {NodeError} METHOD_NOT_ENABLED */
export function bftOf({ bft }: BftBackend): BftAccess {
  if (bft !== undefined) return bft
  throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'this chain does not use this consensus engine')
}
