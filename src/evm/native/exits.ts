import {
  answerBalance,
  answerBlockHash,
  answerCode,
  answerCodeHash,
  answerCodeSize,
  answerStorage,
} from './accountReads.ts'
import {
  EXIT_BALANCE,
  EXIT_BLOCK_HASH,
  EXIT_CALL,
  EXIT_CALL_DIRECT,
  EXIT_CODE,
  EXIT_CODE_HASH,
  EXIT_CODE_SIZE,
  EXIT_CREATE,
  EXIT_ENTER,
  EXIT_FRAME_END,
  EXIT_LOG,
  EXIT_SELFDESTRUCT,
  EXIT_STORAGE,
  FRAME_FLAGS,
  FRAME_IS_CREATE,
} from './assembly/layout.ts'
import { answerCall, callDirect, enterCall } from './calls.ts'
import { answerCreate, enterCreation } from './creations.ts'
import { endFrame } from './frameEnd.ts'
import { takeLog } from './logs.ts'
import type { MessageExecution } from './messageExecution.ts'
import { answerSelfDestruct } from './selfDestruct.ts'

type Handler = (execution: MessageExecution) => void

const HANDLERS: readonly (readonly [exit: number, handler: Handler])[] = [
  [EXIT_FRAME_END, endFrame],
  [EXIT_CALL, answerCall],
  [EXIT_ENTER, enterFrame],
  [EXIT_CALL_DIRECT, callDirect],
  [EXIT_CREATE, answerCreate],
  [EXIT_SELFDESTRUCT, answerSelfDestruct],
  [EXIT_STORAGE, answerStorage],
  [EXIT_BALANCE, answerBalance],
  [EXIT_CODE_SIZE, answerCodeSize],
  [EXIT_CODE_HASH, answerCodeHash],
  [EXIT_CODE, answerCode],
  [EXIT_BLOCK_HASH, answerBlockHash],
  [EXIT_LOG, takeLog],
]

const byExit: Handler[] = []
for (const [exit, handler] of HANDLERS) byExit[exit] = handler

/**
 * Handles an exit on the host's side. When it throws `StoreMiss`, `ModuleNotLoaded` or `PrecompilePaused`, nothing
 * has changed, and the same exit can be handled again.
 */
export function handleExit(execution: MessageExecution, exit: number): void {
  const handler = byExit[exit]
  if (handler === undefined) throw new TypeError(`the native EVM's module returned ${exit}`)
  handler(execution)
}

function enterFrame(execution: MessageExecution): void {
  const { instance } = execution
  const isCreate = (instance.u32(instance.frame + FRAME_FLAGS) & FRAME_IS_CREATE) !== 0
  if (isCreate) enterCreation(execution)
  else enterCall(execution)
}
