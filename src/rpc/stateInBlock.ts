/**
 * States between the transactions of a stored block.
 * @module
 */
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { MutableState } from '../state/contract.ts'
import type { BlockReplay, RpcOptions, StateSource } from './backend.ts'
import type { CallContext } from './method.ts'

export interface ReplayBackend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly replay: BlockReplay
  readonly options: RpcOptions
}

/** Sees the state before anything runs on it, and gives the one to run on. */
export type StateWrapper = (state: MutableState) => MutableState

/**
 * State after the first `count` transactions of a block; undefined when the state of the parent is not kept.
 * @param wrap to look on
 */
export async function stateInBlock(
  backend: ReplayBackend,
  header: ChainHeader,
  count: number,
  context: CallContext,
  wrap: StateWrapper = (state) => state,
): Promise<MutableState | undefined> {
  const parent = backend.chain.headerByHash(header.header.parentHash)
  const base = parent && backend.states.mutable(parent)
  if (base === undefined) return undefined
  const state = wrap(base)
  const limits = { signal: context.signal, timeoutMs: backend.options.callTimeoutMs }
  await backend.replay.transactions(state, header, count, limits)
  return state
}
