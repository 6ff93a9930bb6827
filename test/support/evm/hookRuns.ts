import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../src/config/forks.ts'
import type { Evm, Message, MessageResult } from '../../../src/evm/evm.ts'
import type { ExecutionHooks } from '../../../src/evm/hooks.ts'
import { lossy, MemoryState } from '../chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER } from './evm.ts'
import { evmCode } from './evmCode.ts'
import { HookRecorder } from './hookRecorder.ts'

export const CALLEE: Uint8Array = hexToBytes('0x4000000000000000000000000000000000000004')
/** Address of an account that does not exist. */
export const NOBODY: Uint8Array = hexToBytes('0x5000000000000000000000000000000000000005')

const NAMES = new Map([
  [bytesToHex(SENDER), 'sender'],
  [bytesToHex(CONTRACT), 'contract'],
  [bytesToHex(CALLEE), 'callee'],
  [bytesToHex(NOBODY), 'nobody'],
])
const MAX_RESUMES = 100_000

export interface HookCase {
  /** Code of the contract that the message calls; mnemonics. */
  readonly code?: string
  /** Code of the account that the contract can call. */
  readonly callee?: string
  readonly fork?: ForkName
  readonly message?: Partial<Message>
  /** Changes to the accounts before the message. */
  readonly state?: (state: MemoryState) => void
}

export interface HookDrive {
  /** Milliseconds. */
  readonly slice?: number
  /** Initially, nothing is in memory. */
  readonly isLossy?: boolean
}

/** The contract has 100 wei, and the value 7 in slot 7. */
function stateOf({ code = '', callee, state: change }: HookCase): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setNonce(SENDER, 1n)
  state.setCode(CONTRACT, evmCode(code))
  state.setNonce(CONTRACT, 1n)
  state.setBalance(CONTRACT, 100n)
  state.setStorage(CONTRACT, word(7), word(7))
  if (callee !== undefined) state.setCode(CALLEE, evmCode(callee))
  change?.(state)
  state.beginTransaction()
  return state
}

export function word(value: number): Uint8Array {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, value)
  return bytes
}

/** Runs a case with these hooks. */
export async function runHooked(
  evm: Evm,
  hookCase: HookCase,
  hooks: ExecutionHooks,
  { slice = Number.POSITIVE_INFINITY, isLossy = false }: HookDrive = {},
): Promise<{ result: MessageResult; pauses: number }> {
  const own = stateOf(hookCase)
  const { state, residency } = isLossy ? lossy(own) : { state: own, residency: undefined }
  const message = messageTo(CONTRACT, { gas: 100_000n, ...hookCase.message })
  const execution = evm.start(message, environmentOf(hookCase.fork), state, { hooks })
  let pauses = 0
  for (let resumes = 0; resumes < MAX_RESUMES; resumes++) {
    const status = await execution.resume(slice)
    if (status.kind === 'done') return { result: status.result, pauses }
    if (status.kind === 'missing') await residency?.load(status.request)
    else pauses++
  }
  throw new Error('the message does not come to an end')
}

/** Returns the events of a case as lines. */
export async function linesOf(evm: Evm, hookCase: HookCase, drive?: HookDrive): Promise<string[]> {
  const recorder = new HookRecorder(NAMES)
  await runHooked(evm, hookCase, recorder.hooks, drive)
  return recorder.lines
}
