/**
 * Estimates the gas of a call.
 * @see docs/reference/eth-objects.md section 7
 * @module
 */
import { MAX_TRANSACTION_GAS } from '../../chain/transition/validateTransaction.ts'
import type { ApiOptions } from '../options.ts'
import type { CallSimulation, RunOptions } from './callSimulation.ts'
import type { CallObject, CallOutcome, SimulatedBlock } from './contract.ts'
import { callFailure, requireSuccess } from './failure.ts'

/** A frame passes at most 63/64 of its gas to a call (EIP-150), so each level needs gas multiplied by this. */
const SUB_CALL_GAS_RATIO = 65 / 64
/** EIP-2200: SSTORE fails with this or less gas left. */
const SSTORE_STIPEND = 2300n

type Executed = Extract<CallOutcome, { readonly kind: 'executed' }>

/** Gas limit that suffices to repeat the execution in `outcome`, including SSTORE's stipend and the 63/64 rule. */
export function gasWithReserve({ gasUsedBeforeRefund, result }: Executed, block: SimulatedBlock): bigint {
  const stipend = result.storageWritten && block.rules.eips.has(2200) ? SSTORE_STIPEND : 0n
  const multiplier = SUB_CALL_GAS_RATIO ** result.maxDepth
  return BigInt(Math.floor(Number(gasUsedBeforeRefund + stipend) * multiplier))
}

/**
 * Returns the minimum gas limit with which the call succeeds, up to the imprecision of the reserves.
 * @throws {NodeError} when the call fails even with the gas limit of the block
 */
export async function estimateGas(simulation: CallSimulation, call: CallObject, options: ApiOptions): Promise<bigint> {
  const chargesFees = call.strict === true
  const ceiling = highestGas(simulation.block, call, options)
  const first = requireSuccess(await simulation.run(call, { chargesFees, gas: ceiling, isNoted: true }))
  const low = first.gasUsedBeforeRefund
  if (await succeeds(simulation, call, { chargesFees, gas: low })) return low
  const isEnough = (gas: bigint): Promise<boolean> => succeeds(simulation, call, { chargesFees, gas })
  const reserved = gasWithReserve(first, simulation.block)
  const high = reserved < ceiling ? reserved : ceiling
  const estimate = await leastSufficient(low, high, isEnough)
  // The reserve is too small if the call needs gas that is returned later, such as the stipend of a call with value.
  if (estimate < high || high === ceiling || (await isEnough(high))) return estimate
  return leastSufficient(high, ceiling, isEnough)
}

/** The gas limit of a transaction in the block; in the geth profile at most the call's own gas. */
function highestGas(
  { environment, rules }: SimulatedBlock,
  call: CallObject,
  { profile, callGasCap }: ApiOptions,
): bigint {
  let gas = environment.gasLimit < callGasCap ? environment.gasLimit : callGasCap
  if (rules.eips.has(7825) && gas > MAX_TRANSACTION_GAS) gas = MAX_TRANSACTION_GAS
  if (profile === 'geth' && call.gas !== undefined && call.gas >= 21_000n && call.gas < gas) gas = call.gas
  return gas
}

async function succeeds(simulation: CallSimulation, call: CallObject, run: RunOptions): Promise<boolean> {
  return callFailure(await simulation.run(call, run)) === undefined
}

/** `low` is known to be insufficient, `high` assumed to be sufficient. */
async function leastSufficient(
  low: bigint,
  high: bigint,
  isEnough: (gas: bigint) => Promise<boolean>,
): Promise<bigint> {
  let failing = low
  let sufficient = high
  while (failing + 1n < sufficient) {
    const middle = (failing + sufficient) / 2n
    if (await isEnough(middle)) sufficient = middle
    else failing = middle
  }
  return sufficient
}
