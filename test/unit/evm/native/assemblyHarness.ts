/** Runs code in the native module without accounts: storage starts empty, and every request gets an empty answer. */
import { type ForkName, forkRules } from '../../../../src/config/forks.ts'
import {
  ANSWER_FLAGS,
  ANSWER_ORIGINAL,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  ANSWER_WORD,
  ARGS_ADDRESS,
  ARGS_BITMAP,
  ARGS_CALLER,
  ARGS_CODE,
  ARGS_CODE_LENGTH,
  ARGS_FLAGS,
  ARGS_GAS,
  ARGS_INPUT,
  ARGS_INPUT_LENGTH,
  ARGS_VALUE,
  CODE_PADDING,
  EXIT_DONE,
  EXIT_STORAGE,
  FRAME_GAS,
  FRAME_MARKED,
  REQUEST_END,
  REQUEST_HALT,
  STATE_BUDGET,
  STATE_FRAME,
  STATE_SEED_BYTES,
} from '../../../../src/evm/native/assembly/layout.ts'
import { NativeInstance } from '../../../../src/evm/native/instance.ts'
import { useRules } from '../../../../src/evm/native/rules.ts'
import { WASM_BASE64 } from '../../../../src/evm/native/wasmBase64.ts'
import { testRandom } from '../../../support/host/testPorts.ts'

export const UNLIMITED = 2n ** 60n

const module = new WebAssembly.Module(Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0)))

export function newInstance(): NativeInstance {
  return new NativeInstance(module, testRandom.bytes(STATE_SEED_BYTES))
}

export interface Program {
  readonly code: Uint8Array
  readonly input?: Uint8Array
  readonly gas?: bigint
  readonly fork?: ForkName
  /** FRAME_IS_* */
  readonly flags?: number
  readonly caller?: bigint
  readonly value?: bigint
  readonly budget?: bigint
}

export interface Outcome {
  /** END_* */
  readonly end: number
  /** HALT_*, 0 when there was none */
  readonly halt: number
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** Handles an exit instead of the harness; undefined leaves it to the harness. */
export type Answer = (instance: NativeInstance, exit: number) => void

export const SELF = 0xc0de_0000_0000_0000_0000_0000_0000_0000_0000_0001n

/** Resets, loads the program and pushes its frame. */
export function load(instance: NativeInstance, program: Program): void {
  const { code, input = new Uint8Array(0), gas = 10_000_000n, flags = 0, caller = 0xcan, value = 0n } = program
  instance.reset()
  useRules(instance, forkRules(program.fork ?? 'osaka'), undefined)
  const [pointer, bitmap] = loadCode(instance, code)
  const inputPointer = instance.allocate(input.length + 1)
  instance.write(inputPointer, input)
  instance.setU32(ARGS_CODE, pointer)
  instance.setU32(ARGS_CODE_LENGTH, code.length)
  instance.setU32(ARGS_BITMAP, bitmap)
  instance.setU32(ARGS_INPUT, inputPointer)
  instance.setU32(ARGS_INPUT_LENGTH, input.length)
  instance.setU32(ARGS_FLAGS, flags)
  instance.setI64(ARGS_GAS, gas)
  instance.write(ARGS_ADDRESS, addressBytes(SELF))
  instance.write(ARGS_CALLER, addressBytes(caller))
  instance.setWord(ARGS_VALUE, value)
  instance.setI64(STATE_BUDGET, program.budget ?? UNLIMITED)
  instance.enterTop()
  instance.setU32(instance.frame + FRAME_MARKED, 1)
}

/** @returns pointers to code and jump destinations */
export function loadCode(instance: NativeInstance, code: Uint8Array): [code: number, bitmap: number] {
  const pointer = instance.allocate(code.length + CODE_PADDING)
  instance.write(pointer, code)
  instance.bytes.fill(0, pointer + code.length, pointer + code.length + CODE_PADDING)
  const bitmap = instance.allocate((code.length + 7) >> 3)
  instance.analyze(pointer, code.length, bitmap)
  return [pointer, bitmap]
}

export function addressBytes(address: bigint): Uint8Array {
  return wordBytes(address).subarray(12)
}

export function wordBytes(word: bigint): Uint8Array {
  return Uint8Array.from(word.toString(16).padStart(64, '0').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

export function bytesToWord(bytes: Uint8Array): bigint {
  let word = 0n
  for (const byte of bytes) word = (word << 8n) | BigInt(byte)
  return word
}

/** Runs the loaded program to its end. */
export function finish(instance: NativeInstance, gas: bigint, answer: Answer = () => {}): Outcome {
  for (;;) {
    const exit = instance.run()
    if (exit === EXIT_DONE) break
    if (exit === EXIT_STORAGE) {
      instance.setWord(ANSWER_WORD, 0n)
      instance.setWord(ANSWER_ORIGINAL, 0n)
    }
    instance.setU32(ANSWER_FLAGS, 0)
    answer(instance, exit)
  }
  const end = instance.u32(REQUEST_END)
  return {
    end,
    halt: end === 3 ? instance.u32(REQUEST_HALT) : 0,
    gasUsed: gas - instance.i64(instance.u32(STATE_FRAME) + FRAME_GAS),
    output: instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH)),
  }
}

export function execute(instance: NativeInstance, program: Program, answer?: Answer): Outcome {
  load(instance, program)
  return finish(instance, program.gas ?? 10_000_000n, answer)
}

/** Opcodes as numbers, PUSHes as [size, value]. */
export function assemble(...parts: readonly (number | bigint)[]): Uint8Array {
  const bytes: number[] = []
  for (const part of parts) {
    if (typeof part === 'number') bytes.push(part)
    else {
      const hex = part.toString(16)
      const value = (hex.length % 2 === 0 ? hex : `0${hex}`).match(/../g) ?? []
      bytes.push(0x5f + value.length, ...value.map((byte) => Number.parseInt(byte, 16)))
    }
  }
  return Uint8Array.from(bytes)
}

/** MSTORE at 0 and RETURN of that word. */
export const RETURN_TOP: readonly (number | bigint)[] = [0n, 0x52, 32n, 0n, 0xf3]
