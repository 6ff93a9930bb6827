/**
 * How much gas a call takes.
 * @see reference: eth-objects section 7
 * @module
 */
import { MAX_TRANSACTION_GAS } from '../../chain/transition/validateTransaction.ts'
import type { ApiOptions } from '../options.ts'
import type { CallRun, RunOptions } from './callRun.ts'
import type { CallObject, CallOutcome, SimulatedBlock } from './contract.ts'
import { callFailure, requireSuccess } from './failure.ts'

/** A frame passes on at most 63/64 of its gas (EIP-150): this much more has to be there for each level. */
const SUB_CALL_GAS_RATIO = 65 / 64
/** EIP-2200: SSTORE fails unless more than this is left. */
const SSTORE_STIPEND = 2300n

type Executed = Extract<CallOutcome, { readonly kind: 'executed' }>

/** Gas that is enough for a run that used what `outcome` says, with room for SSTORE's stipend and the 63/64 rule. */
export function gasWithReserve({ gasUsedBeforeRefund, result }: Executed, block: SimulatedBlock): bigint {
  const stipend = result.storageWritten && block.rules.eips.has(2200) ? SSTORE_STIPEND : 0n
  const multiplier = SUB_CALL_GAS_RATIO ** result.maxDepth
  return BigInt(Math.floor(Number(gasUsedBeforeRefund + stipend) * multiplier))
}

/**
 * The least gas limit that the call succeeds with, up to what the reserves leave open.
 * @throws {NodeError} when the call fails with as much gas as a block has
 */
export async function estimateGas(session: CallRun, call: CallObject, options: ApiOptions): Promise<bigint> {
  const chargesFees = call.strict === true
  const ceiling = highestGas(session.block, call, options)
  const first = requireSuccess(await session.run(call, { chargesFees, gas: ceiling }))
  const low = first.gasUsedBeforeRefund
  if (await succeeds(session, call, { chargesFees, gas: low })) return low
  const high = gasWithReserve(first, session.block)
  return leastSufficient(low, high < ceiling ? high : ceiling, (gas) => succeeds(session, call, { chargesFees, gas }))
}

/** What one transaction of a block may take; in the geth profile no more than the call asks for. */
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

async function succeeds(session: CallRun, call: CallObject, run: RunOptions): Promise<boolean> {
  return callFailure(await session.run(call, run)) === undefined
}

/** `low` is known to be too little, `high` taken to be enough. */
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
