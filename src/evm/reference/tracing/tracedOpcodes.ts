/**
 * Wraps the gas rules and handlers of opcodes with calls of the hooks. The interpreter evaluates the gas rule of an
 * opcode first, so every step begins there.
 * @module
 */
import { EVMError } from '@ethereumjs/evm'
import type { OpcodeMap, OpcodeRule } from '../preparedTypes.ts'
import { CALL_KINDS } from './callOpcodes.ts'
import type { MessageTrace } from './messageTrace.ts'
import type { TracedFrame } from './tracedFrame.ts'
import { costOf, gasRuleState, unpaidCost } from './unpaidCost.ts'

type Handler = OpcodeRule['opHandler']
type GasHandler = (...args: Parameters<OpcodeRule['gasHandler']>) => Promise<bigint>

const messages = EVMError.errorMessages

/** The opcodes, with calls of the hooks. */
export function tracedOpcodes(opcodeMap: OpcodeMap, trace: MessageTrace): OpcodeMap {
  const gasHandler: GasHandler = async (run, fee, common) => {
    const rule = opcodeMap[run.opCode] as OpcodeRule
    const { isInvalid, dynamicGas } = rule.opcodeInfo
    const frame = await trace.beginStep(run)
    if (isInvalid) {
      trace.haltStep(frame, 0, messages.INVALID_OPCODE)
      return fee
    }
    const cost = dynamicGas ? await dynamicCost(trace, frame, rule, run, common) : fee
    frame.cost = costOf(cost, run)
    if (cost > run.gasLeft) trace.haltStep(frame, frame.cost, messages.OUT_OF_GAS)
    return cost
  }

  const opHandler = async (...[run, common]: Parameters<Handler>): Promise<void> => {
    const { opHandler: execute, opcodeInfo } = opcodeMap[run.opCode] as OpcodeRule
    const frame = trace.frameOf(run)
    if (CALL_KINDS.has(frame.opcode)) frame.keepOperands(Number(run.messageGasLimit ?? 0n))
    try {
      const running = execute(run, common)
      if (opcodeInfo.isAsync) await running
    } catch (error) {
      if (error instanceof EVMError) trace.stopStep(run, frame, error.error)
      throw error
    }
    trace.endStep(run, frame)
  }

  return opcodeMap.map(({ opcodeInfo }) => ({
    opcodeInfo: { ...opcodeInfo, dynamicGas: true, isAsync: true },
    gasHandler,
    opHandler: opHandler as Handler,
  }))
}

/** Evaluates the gas rule of an opcode, which may end the frame. */
async function dynamicCost(
  trace: MessageTrace,
  frame: TracedFrame,
  rule: OpcodeRule,
  ...[run, common]: Parameters<Handler>
): Promise<bigint> {
  const before = gasRuleState(run)
  try {
    return await rule.gasHandler(run, rule.opcodeInfo.feeBigInt, common)
  } catch (error) {
    if (error instanceof EVMError) {
      const isUnpaid = error.error === messages.OUT_OF_GAS
      trace.haltStep(frame, isUnpaid ? await unpaidCost(run, rule, common, before) : 0, error.error)
    }
    throw error
  }
}
