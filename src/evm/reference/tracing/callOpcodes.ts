/** Opcodes that call or create, and the events for attempts that never begin. */
import { bigIntToBytesPadded, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { create2Address, createAddress } from '../../../types/address.ts'
import type { CallKind, CallStart, RefusalReason } from '../../hooks.ts'
import type { RunState } from '../preparedTypes.ts'
import type { TracedFrame } from './tracedFrame.ts'

/** Indexed by opcode. */
export const CALL_KINDS: ReadonlyMap<number, CallKind> = new Map<number, CallKind>([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
])

/** The address in a stack word. */
export function addressOfWord(word: bigint): Uint8Array {
  return bigIntToBytesPadded(BigInt.asUintN(160, word), 20)
}

/**
 * The address of a new contract.
 * @param nonce the creator's nonce before the increment
 * @param salt 32 bytes; only for CREATE2
 */
export function newContractAddress(
  creator: Uint8Array,
  nonce: bigint,
  salt: Uint8Array | undefined,
  initCode: Uint8Array,
): Uint8Array {
  if (salt === undefined) return createAddress(creator, BigInt.asUintN(64, nonce))
  return create2Address(creator, salt, keccak256(initCode))
}

/** A call or creation that the frame requested but that was refused, with the reason. */
export function refusedCall(run: RunState, frame: TracedFrame): { start: CallStart; refusal: RefusalReason } {
  const start = { depth: frame.depth + 1, runs: 'nothing' } as const
  const kind = CALL_KINDS.get(frame.opcode) as CallKind
  const call = kind === 'CREATE' || kind === 'CREATE2' ? creation(run, frame, kind) : plainCall(run, frame, kind)
  return { start: { ...start, kind, ...call }, refusal: refusalOf(run, kind, call.value) }
}

function refusalOf({ env, interpreter }: RunState, kind: CallKind, value: bigint): RefusalReason {
  if (env.depth >= Number(interpreter._evm.common.param('stackLimit'))) return 'DEPTH'
  return kind !== 'DELEGATECALL' && env.contract.balance < value ? 'INSUFFICIENT_BALANCE' : 'NONCE_OVERFLOW'
}

type CallFields = Omit<CallStart, 'kind' | 'depth' | 'runs'>

function creation(run: RunState, frame: TracedFrame, kind: CallKind): CallFields {
  const caller = frame.address
  const input = memoryRange(run, frame.operand(1), frame.operand(2))
  const salt = kind === 'CREATE2' ? bigIntToBytesPadded(frame.operand(3), 32) : undefined
  const address = newContractAddress(caller, run.env.contract.nonce, salt, input)
  return { caller, address, target: address, value: frame.operand(0), gas: frame.forwarded, input }
}

function plainCall(run: RunState, frame: TracedFrame, kind: CallKind): CallFields {
  const { env, interpreter } = run
  const isDelegated = kind === 'DELEGATECALL'
  const hasValue = kind === 'CALL' || kind === 'CALLCODE'
  const value = hasValue ? frame.operand(2) : 0n
  const inputAt = hasValue ? 3 : 2
  const target = addressOfWord(frame.operand(1))
  const stipend = value === 0n ? 0 : Number(interpreter._evm.common.param('callStipendGas'))
  return {
    caller: isDelegated ? env.caller.bytes : frame.address,
    address: isDelegated || kind === 'CALLCODE' ? frame.address : target,
    target,
    value: isDelegated ? env.callValue : value,
    gas: frame.forwarded + stipend,
    input: memoryRange(run, frame.operand(inputAt), frame.operand(inputAt + 1)),
  }
}

function memoryRange({ memory }: RunState, offset: bigint, length: bigint): Uint8Array {
  return length === 0n ? EMPTY_BYTES : memory.read(Number(offset), Number(length))
}
