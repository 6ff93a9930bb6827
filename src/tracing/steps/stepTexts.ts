import { MAX_STEP_DATA_BYTES } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { FrameView } from '../../evm/hooks.ts'
import type { TraceBegin } from '../contract.ts'
import { errorText } from '../geth/errorText.ts'
import { authorizationRefund } from '../structLog/authorizationRefund.ts'
import { gethConstantGas, gethHaltCost, initCodeSizeOf } from '../structLog/gethHalts.ts'
import { GETH_OPCODE_NAMES, isCall } from '../structLog/opcodes.ts'
import type { StepView } from './contract.ts'
import { stackWord, wordHex } from './words.ts'

/** A step as in debug_traceTransaction in the format of go-ethereum. */
export interface WindowStep {
  readonly index: number
  readonly pc: number
  readonly op: string
  readonly gas: number
  /** With the gas of a child, except that of a creation. */
  gasCost: number
  /** 1 for the message itself */
  readonly depth: number
  /** WindowFrame.id */
  readonly frame: number
  /** Bottom first, without leading zeros. */
  readonly stack: readonly string[] | undefined
  readonly memory: string | undefined
  /** Bytes of the whole memory, of which `memory` may be the beginning. */
  readonly memorySize: number
  readonly returnData: string | undefined
  /** The slot that the step reads or writes, and its value afterwards: 32 bytes each, in hex. */
  storage: readonly [slot: string, value: string] | undefined
  /** As of the opcode's costs, which are where SSTORE earns it. */
  refund: number
  error: string | undefined
  /** As JSON (estimate). */
  readonly bytes: number
}

export interface ShownParts {
  readonly showsStack: boolean
  readonly showsMemory: boolean
  readonly showsStorage: boolean
}

const STEP_BYTES = 200
const SLOAD = 0x54
const SSTORE = 0x55
const TLOAD = 0x5c
const TSTORE = 0x5d
const REENTRANCY_GUARD_EIP = 2200

/** Describes the steps of one execution. */
export class StepTexts {
  readonly #shown: ShownParts
  readonly #constantGas: Uint16Array
  readonly #guardsReentrancy: boolean
  /** Refund counter before the first opcode (EIP-7702). */
  readonly #refund: number
  #stackSize = 0

  /** Call it when the message begins. */
  constructor(shown: ShownParts, { rules, transaction, before, now }: TraceBegin) {
    this.#shown = shown
    this.#constantGas = gethConstantGas(rules)
    this.#guardsReentrancy = rules.eips.has(REENTRANCY_GUARD_EIP)
    this.#refund = transaction.authorities === undefined ? 0 : authorizationRefund(transaction, before, now)
  }

  begin({ index, frame, call }: StepView): WindowStep {
    const { showsStack, showsMemory, showsStorage } = this.#shown
    const { pc, opcode, gas, stackSize } = frame
    const stack = showsStack ? stackOf(frame) : undefined
    const memory = showsMemory ? beginningOf(frame.memory) : undefined
    const returnData = showsMemory && frame.returnData.length > 0 ? beginningOf(frame.returnData) : undefined
    let bytes = STEP_BYTES + (memory?.length ?? 0) + (returnData?.length ?? 0)
    for (const word of stack ?? []) bytes += word.length + 3
    this.#stackSize = stackSize
    return {
      index,
      pc,
      op: GETH_OPCODE_NAMES[opcode] as string,
      gas,
      gasCost: 0,
      depth: call.start.depth + 1,
      frame: call.id,
      stack,
      memory,
      memorySize: frame.memory.length,
      returnData,
      storage: showsStorage ? storageBefore(frame) : undefined,
      refund: 0,
      error: undefined,
      bytes,
    }
  }

  /** Completes the step; the arguments are those of the hook. */
  end(step: WindowStep, frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void {
    const { opcode, pc } = frame
    step.refund = this.#refund + frame.refund
    if (halt === undefined) {
      step.gasCost = isCall(opcode) ? cost + forwarded : cost
      if (step.storage !== undefined && (opcode === SLOAD || opcode === TLOAD))
        step.storage = [step.storage[0], wordHex(frame.stack, frame.stackSize - 1)]
      return
    }
    const stackSize = this.#stackSize
    const { gas } = step
    step.storage = undefined
    step.gasCost = gethHaltCost(halt, { opcode, gas }, cost, this.#constantGas, this.#guardsReentrancy)
    const details = {
      storeGas: gas,
      initCodeSize: initCodeSizeOf(frame.stack, stackSize),
      guardsReentrancy: this.#guardsReentrancy,
    }
    const end = { outcome: 'halt', halt, haltPlace: { pc, opcode, stackSize }, atDeposit: false } as const
    step.error = errorText(details, { ...end, depth: frame.depth, gasUsed: 0, output: frame.returnData })
  }
}

function beginningOf(bytes: Uint8Array): string {
  return bytesToHex(bytes.subarray(0, MAX_STEP_DATA_BYTES))
}

function stackOf({ stack, stackSize }: FrameView): string[] {
  const words: string[] = []
  for (let i = 0; i < stackSize; i++) words.push(`0x${stackWord(stack, i).toString(16)}`)
  return words
}

/** The slot with the value that is going to be written; that of a read is known when the step ends. */
function storageBefore({ opcode, stack, stackSize }: FrameView): WindowStep['storage'] {
  if ((opcode === SLOAD || opcode === TLOAD) && stackSize >= 1) return [wordHex(stack, stackSize - 1), '0x']
  if ((opcode !== SSTORE && opcode !== TSTORE) || stackSize < 2) return undefined
  return [wordHex(stack, stackSize - 1), wordHex(stack, stackSize - 2)]
}
