import { type Common, Hardfork } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import type { OpcodeRule, RunState } from '../preparedTypes.ts'

/** Exceeds the cost of any opcode. */
const PLENTY = 1n << 600n
/** Words of memory; no gas limit pays for more. */
const MOST_WORDS = 0x07ff_fff8n

/** The cost of an opcode in gas; Number.MAX_SAFE_INTEGER when no gas limit pays for its memory. */
export function costOf(cost: bigint, { memoryWordCount }: RunState): number {
  return memoryWordCount > MOST_WORDS ? Number.MAX_SAFE_INTEGER : Math.min(Number(cost), Number.MAX_SAFE_INTEGER)
}

/** The state that a gas rule may change before it fails. */
export interface GasRuleState {
  readonly memoryWordCount: bigint
  readonly highestMemCost: bigint
  readonly gasRefund: bigint
  readonly warmAddresses: number
}

export function gasRuleState({ memoryWordCount, highestMemCost, gasRefund, interpreter }: RunState): GasRuleState {
  return { memoryWordCount, highestMemCost, gasRefund, warmAddresses: interpreter.journal['journal'].size }
}

/**
 * The gas that an opcode would have cost when its gas rule ran out of gas: evaluates the rule again with unlimited gas.
 * Changes nothing that outlives the frame.
 * @param before the state before the rule
 */
export async function unpaidCost(
  run: RunState,
  { opcodeInfo, gasHandler }: OpcodeRule,
  common: Common,
  before: GasRuleState,
): Promise<number> {
  const { gasLeft } = run
  const { memoryWordCount, highestMemCost, gasRefund, warmAddresses } = before
  const warm = run.interpreter.journal['journal']
  for (const address of [...warm.keys()].slice(warmAddresses)) warm.delete(address)
  Object.assign(run, { memoryWordCount, highestMemCost, gasRefund, gasLeft: PLENTY })
  try {
    const cost = await gasHandler(run, opcodeInfo.feeBigInt, common)
    // Before EIP-150 a call requires all the gas it requests.
    const requestedGas = common.gteHardfork(Hardfork.TangerineWhistle) ? 0n : (run.messageGasLimit ?? 0n)
    return costOf(cost + requestedGas, run)
  } catch (error) {
    if (error instanceof EVMError) return Number.MAX_SAFE_INTEGER
    throw error
  } finally {
    run.gasRefund = gasRefund
    run.gasLeft = gasLeft
  }
}
