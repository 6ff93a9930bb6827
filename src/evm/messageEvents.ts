import { createAddress } from '../types/address.ts'
import type { Message, MessageResult } from './evm.ts'
import type { CallStart, ExecutionHooks } from './hooks.ts'
import type { StateDB } from './stateDb.ts'

/** Reports a completed message that needed no interpreter. */
export function reportDirectMessage(
  hooks: ExecutionHooks,
  { caller, to, value, data, gas: given, contract }: Message,
  state: StateDB,
  runs: CallStart['runs'],
  { outcome, halt, output, gasLeft }: MessageResult,
): void {
  // The nonce of a creator has already been incremented.
  const address =
    to ?? contract ?? createAddress(caller, BigInt.asUintN(64, (state.getAccount(caller)?.nonce ?? 0n) - 1n))
  const kind = to === undefined ? 'CREATE' : 'CALL'
  const gas = Number(given)
  hooks.enter?.({ kind, depth: 0, caller, address, target: address, value, gas, input: data, runs })
  const end = { depth: 0, outcome, atDeposit: false, gasUsed: Number(given - gasLeft), output }
  hooks.exit?.(halt === undefined ? end : { ...end, halt })
}
