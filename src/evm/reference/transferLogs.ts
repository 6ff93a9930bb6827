/**
 * Adds the logs of transfers at the point where the transfers happen.
 * @module
 */
import type { EVM, EVMResult } from '@ethereumjs/evm'
import { bigIntToBytesPadded } from '../../base/primitives/bytes.ts'
import { transferLog } from '../transferLogs.ts'

type EvmLog = NonNullable<EVMResult['execResult']['logs']>[number]
type OpcodeMap = EVM['_opcodeMap']
type Handler = OpcodeMap[number]['opHandler']
type RunState = Parameters<Handler>[0]
type CallOptions = Parameters<EVM['runCall']>[0]

const SELFDESTRUCT = 0xff

function evmTransferLog(from: Uint8Array, to: Uint8Array, value: bigint): EvmLog {
  const { address, topics, data } = transferLog(from, to, value)
  return [address, [...topics], data]
}

/** Inserts the log of a message's transfer before the logs of the message. */
export function withTransferLog(outcome: EVMResult, options: CallOptions): EVMResult {
  const { execResult } = outcome
  const { message } = options
  const value = message?.value ?? options.value ?? 0n
  if (value === 0n || message?.delegatecall === true || execResult.exceptionError !== undefined) return outcome
  const from = message?.caller ?? options.caller
  const to = message?.to ?? options.to ?? outcome.createdAddress
  if (from === undefined || to === undefined) return outcome
  execResult.logs = [evmTransferLog(from.bytes, to.bytes, value), ...(execResult.logs ?? [])]
  return outcome
}

/** The same opcodes with a SELFDESTRUCT that logs the transfer of the balance. */
export function withSelfDestructLogs(opcodeMap: OpcodeMap): OpcodeMap {
  const entry = opcodeMap[SELFDESTRUCT]
  if (entry === undefined) return opcodeMap
  const original = entry.opHandler
  const logging = (runState: RunState, common: Parameters<Handler>[1]): ReturnType<Handler> => {
    const { interpreter, stack, env } = runState
    const balance = env.contract.balance
    if (balance > 0n && !interpreter.isStatic()) {
      const beneficiary = bigIntToBytesPadded(BigInt.asUintN(160, stack.peek(1)[0] as bigint), 20)
      interpreter._result.logs.push(evmTransferLog(interpreter.getAddress().bytes, beneficiary, balance))
    }
    return original(runState, common)
  }
  const copy = [...opcodeMap]
  copy[SELFDESTRUCT] = { ...entry, opHandler: logging as Handler }
  return copy
}
