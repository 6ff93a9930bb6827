/**
 * Opcodes that access code, without the EVM object format. The library applies its draft (EIP-3540) to code that starts
 * with 0xEF00 on every fork, although no fork includes it.
 * @module
 */
import { EVMError } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { bigIntToBytesPadded, bytesToBigInt, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { OpcodeTables } from './preparedTypes.ts'

type Handler = OpcodeTables['opcodeMap'][number]['opHandler']
type RunState = Parameters<Handler>[0]
type Common = Parameters<Handler>[1]

/** Replaces the handlers of the opcodes that the fork supports. */
export function useCodeOpcodes({ opcodeMap }: OpcodeTables): void {
  for (const [code, opHandler] of HANDLERS) {
    const entry = opcodeMap[code]
    if (entry !== undefined && !entry.opcodeInfo.isInvalid) opcodeMap[code] = { ...entry, opHandler }
  }
}

const HANDLERS: readonly (readonly [number, Handler])[] = [
  [0x3b, extCodeSize],
  [0x3c, extCodeCopy],
  [0x3f, extCodeHash],
  [0xf0, create],
  [0xf5, create2],
]

function toAddress(word: bigint | undefined): Address {
  return new Address(bigIntToBytesPadded(BigInt.asUintN(160, word ?? 0n), 20))
}

async function extCodeSize({ stack, stateManager }: RunState): Promise<void> {
  const code = await stateManager.getCode(toAddress(stack.pop()))
  stack.push(BigInt(code.length))
}

async function extCodeCopy({ stack, stateManager, memory }: RunState): Promise<void> {
  const [address, target = 0n, offset = 0n, length = 0n] = stack.popN(4)
  if (length === 0n) return
  const code = await stateManager.getCode(toAddress(address))
  const data = new Uint8Array(Number(length))
  if (offset < BigInt(code.length)) data.set(code.subarray(Number(offset), Number(offset + length)))
  memory.write(Number(target), data.length, data)
}

async function extCodeHash({ stack, stateManager }: RunState): Promise<void> {
  const account = await stateManager.getAccount(toAddress(stack.pop()))
  stack.push(account === undefined || account.isEmpty() ? 0n : bytesToBigInt(account.codeHash))
}

async function create(runState: RunState, common: Common): Promise<void> {
  const [value = 0n, offset = 0n, length = 0n] = runState.stack.popN(3)
  const initCode = readInitCode(runState, common, offset, length)
  runState.stack.push(await runState.interpreter.create(takeGas(runState), value, initCode))
}

async function create2(runState: RunState, common: Common): Promise<void> {
  if (runState.interpreter.isStatic()) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = runState.stack.popN(4)
  const initCode = readInitCode(runState, common, offset, length)
  const saltBytes = bigIntToBytesPadded(salt, 32)
  runState.stack.push(await runState.interpreter.create2(takeGas(runState), value, initCode, saltBytes))
}

function readInitCode({ memory }: RunState, common: Common, offset: bigint, length: bigint): Uint8Array {
  if (common.isActivatedEIP(3860) && length > common.param('maxInitCodeSize')) {
    throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION)
  }
  return length === 0n ? EMPTY_BYTES : memory.read(Number(offset), Number(length), true)
}

/** Takes the gas that the opcode's gas rule set aside for the new frame. */
function takeGas(runState: RunState): bigint {
  const gas = runState.messageGasLimit ?? 0n
  delete runState.messageGasLimit
  return gas
}
