/** Answers opcodes that only read: storage, balances, code, block hashes. All of them may throw `StoreMiss`. */
import { bytesToHexUnprefixed, ZERO_WORD } from '../../base/primitives/bytes.ts'
import { isDead } from './accounts.ts'
import {
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_ORIGINAL,
  ANSWER_WORD,
  FRAME_ADDRESS,
  REQUEST_ADDRESS,
  REQUEST_NUMBER,
  REQUEST_SLOT,
} from './assembly/layout.ts'
import type { MessageExecution } from './messageExecution.ts'

export function answerStorage({ instance, state, emptied }: MessageExecution): void {
  const address = instance.address(instance.frame + FRAME_ADDRESS)
  const slot = instance.copy(REQUEST_SLOT, 32)
  const current = state.getStorage(address, slot)
  const original = state.getOriginalStorage(address, slot)
  const isEmptied = emptied.size > 0 && emptied.has(bytesToHexUnprefixed(address))
  instance.write(ANSWER_WORD, current)
  instance.write(ANSWER_ORIGINAL, isEmptied ? ZERO_WORD : original)
}

export function answerBalance({ instance, state }: MessageExecution): void {
  instance.setWord(ANSWER_WORD, state.getAccount(instance.address(REQUEST_ADDRESS))?.balance ?? 0n)
}

export function answerCodeSize({ instance, state }: MessageExecution): void {
  instance.setU32(ANSWER_CODE_LENGTH, state.getCode(instance.address(REQUEST_ADDRESS)).length)
}

/** @see EIP-1052 */
export function answerCodeHash({ instance, state }: MessageExecution): void {
  const account = state.getAccount(instance.address(REQUEST_ADDRESS))
  instance.write(ANSWER_WORD, account === undefined || isDead(account) ? ZERO_WORD : account.codeHash)
}

export function answerCode({ instance, state, codes }: MessageExecution): void {
  const code = state.getCode(instance.address(REQUEST_ADDRESS))
  const { pointer, length } = codes.place(code)
  instance.setU32(ANSWER_CODE, pointer)
  instance.setU32(ANSWER_CODE_LENGTH, length)
}

export function answerBlockHash({ instance, environment }: MessageExecution): void {
  const hash = environment.block.blockHash(BigInt.asUintN(64, instance.i64(REQUEST_NUMBER)))
  instance.write(ANSWER_WORD, hash ?? ZERO_WORD)
}
