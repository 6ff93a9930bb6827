/**
 * The host's part of CREATE, CREATE2 and creating messages.
 * @see EIP-2, EIP-161, EIP-170, EIP-684, EIP-3541, EIP-7610
 * @module
 */
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import { create2Address, createAddress } from '../../types/address.ts'
import { transfer } from '../transfer.ts'
import { transferLog } from '../transferLogs.ts'
import { overflows } from './accounts.ts'
import {
  ANSWER_ADDRESS,
  ANSWER_FLAGS,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  ANSWER_WORD,
  CREATE_COLLISION,
  CREATE_CREATE2,
  CREATE_GO,
  CREATE_NONCE_OVERFLOW,
  CREATE_REFUSED,
  END_HALT,
  FRAME_ADDRESS,
  FRAME_CALLER,
  FRAME_GAS,
  FRAME_VALUE,
  HALT_CODE_TOO_LARGE,
  HALT_OUT_OF_GAS,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_END,
  REQUEST_HALT,
  REQUEST_KIND,
  REQUEST_SLOT,
  REQUEST_VALUE,
} from './assembly/layout.ts'
import { codeLimit } from './codeLimits.ts'
import { HALT_INVALID_CODE } from './halts.ts'
import type { MessageExecution } from './messageExecution.ts'

/** EIP-2681 */
const MAX_NONCE = 2n ** 64n - 1n
const CODE_DEPOSIT_GAS = 200n
/** EIP-3541: reserved for the EVM object format. */
const RESERVED_FIRST_BYTE = 0xef

/** EXIT_CREATE: decides whether a contract can be created, and computes its address. */
export function answerCreate(execution: MessageExecution): void {
  const { instance, state, marks } = execution
  const creator = instance.address(instance.frame + FRAME_ADDRESS)
  const { nonce = 0n, balance = 0n } = state.getAccount(creator) ?? {}
  const value = instance.word(REQUEST_VALUE)
  if (balance < value || nonce >= MAX_NONCE) {
    instance.setU32(ANSWER_FLAGS, balance < value ? CREATE_REFUSED : CREATE_NONCE_OVERFLOW)
    return
  }
  const address = newAddress(execution, creator, nonce)
  const isTaken = isAddressTaken(execution, address)
  const isRefused = overflows(state.getAccount(address), value)
  marks.openAll()
  state.setNonce(creator, nonce + 1n)
  instance.write(ANSWER_ADDRESS, address)
  instance.setU32(ANSWER_FLAGS, isTaken ? CREATE_COLLISION : isRefused ? CREATE_REFUSED : CREATE_GO)
}

/**
 * The address of the requested contract.
 * @param nonce the creator's nonce before the increment
 */
export function newAddress({ instance }: MessageExecution, creator: Uint8Array, nonce: bigint): Uint8Array {
  if (instance.u32(REQUEST_KIND) !== CREATE_CREATE2) return createAddress(creator, nonce)
  instance.keccak256(instance.u32(REQUEST_DATA), instance.u32(REQUEST_DATA_LENGTH), ANSWER_WORD)
  return create2Address(creator, instance.copy(REQUEST_SLOT, 32), instance.copy(ANSWER_WORD, 32))
}

/** Whether the address of a new contract is occupied: by a nonce, code, or storage (EIP-7610). */
export function isAddressTaken(
  { state, eips }: Pick<MessageExecution, 'state' | 'eips'>,
  address: Uint8Array,
): boolean {
  const account = state.getAccount(address)
  if (account === undefined) return false
  if (account.nonce > 0n || !equalBytes(account.codeHash, EMPTY_CODE_HASH)) return true
  return eips.has(7610) && state.hasStorage(address)
}

/** EXIT_ENTER of a creation. */
export function enterCreation(execution: MessageExecution): void {
  const { instance, marks } = execution
  const { frame } = instance
  const creator = instance.address(frame + FRAME_CALLER)
  const address = instance.address(frame + FRAME_ADDRESS)
  const value = instance.word(frame + FRAME_VALUE)
  const create = newContract(execution, creator, address, value)
  marks.openAll()
  create()
}

/**
 * Reads everything that the creation of an account changes.
 * @returns makes the change; never throws `StoreMiss`
 */
export function newContract(
  execution: MessageExecution,
  creator: Uint8Array,
  address: Uint8Array,
  value: bigint,
): () => void {
  const { state, eips, effects, emptied, logsTransfers } = execution
  const hasStorage = state.hasStorage(address)
  state.getAccount(creator)
  state.getAccount(address)
  return () => {
    const key = bytesToHexUnprefixed(address)
    effects.created.add(key)
    if (hasStorage) {
      state.clearStorage(address)
      emptied.add(key)
    }
    if (eips.has(161)) state.setNonce(address, 1n)
    transfer({ caller: creator, to: address, value }, state, eips.has(161))
    if (logsTransfers && value > 0n) effects.logs.push(transferLog(creator, address, value))
  }
}

/** After the init code has returned: stores its output as the code, unless that is not allowed or not paid for. */
export function deployCode(execution: MessageExecution): void {
  const { instance, state } = execution
  const { frame } = instance
  const code = instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH))
  if (code.length === 0) return
  const gasLeft = instance.i64(frame + FRAME_GAS) - BigInt(code.length) * CODE_DEPOSIT_GAS
  const fault = codeFault(execution, code, gasLeft)
  if (fault !== undefined) {
    halt(execution, fault)
  } else if (gasLeft < 0n) {
    // Before Homestead, a creation that cannot pay for its code succeeds without it.
    instance.setU32(ANSWER_OUTPUT_LENGTH, 0)
  } else {
    instance.setI64(frame + FRAME_GAS, gasLeft)
    state.setCode(instance.address(frame + FRAME_ADDRESS), code)
  }
}

/** @returns HALT_*; undefined when the code is acceptable */
function codeFault({ eips, environment }: MessageExecution, code: Uint8Array, gasLeft: bigint): number | undefined {
  const limit = codeLimit(environment.rules, environment.contractSizeLimit)
  if (limit !== undefined && code.length > limit) return HALT_CODE_TOO_LARGE
  if (gasLeft < 0n) return eips.has(2) ? HALT_OUT_OF_GAS : undefined
  return eips.has(3541) && code[0] === RESERVED_FIRST_BYTE ? HALT_INVALID_CODE : undefined
}

function halt({ instance }: MessageExecution, reason: number): void {
  instance.setU32(REQUEST_END, END_HALT)
  instance.setU32(REQUEST_HALT, reason)
  instance.setI64(instance.frame + FRAME_GAS, 0n)
}
