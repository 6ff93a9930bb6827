import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../../src/evm/hooks.ts'
import { opcodeName } from './evmCode.ts'

/** Addresses in hex → their names in the lines. */
export type AddressNames = ReadonlyMap<string, string>

interface OpenStep {
  readonly depth: number
  readonly pc: number
  readonly opcode: number
  readonly gas: number
}

/**
 * Records the events that an EVM reports to its hooks: one line per event, starting with the depth.
 *
 *   0 enter CALL sender > contract, gas 100, value 1, input 0x00
 *   0 5 SSTORE costs 22100
 *   0 exit success, used 22106
 *
 * A step has one line, written at its end; PUSH steps have none. A violation of the rules of hooks has a separate line
 * that starts with `!`.
 */
export class HookRecorder {
  readonly lines: string[] = []
  /** Opcodes in the order of their steps. */
  readonly steps: string[] = []
  readonly #names: AddressNames
  readonly #calls: CallStart[] = []
  #open: OpenStep | undefined

  constructor(names: AddressNames = new Map()) {
    this.#names = names
  }

  /** Hooks for one message. */
  get hooks(): ExecutionHooks {
    return {
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
      stepEnd: (frame, cost, forwarded, halt) => {
        const name = opcodeName(frame.opcode)
        const open = this.#open
        this.#open = undefined
        if (open?.depth !== frame.depth || open.pc !== frame.pc || open.opcode !== frame.opcode) {
          this.lines.push(`! end of a step that is not open: ${frame.depth} ${frame.pc} ${name}`)
        }
        if (halt === undefined && cost + forwarded > (open?.gas ?? 0)) this.lines.push('! costs more than there was')
        const given = forwarded === 0 ? '' : ` and forwards ${forwarded}`
        const why = halt === undefined ? '' : `: ${halt}`
        if (/^PUSH\d/.test(name) && halt === undefined) return
        this.lines.push(`${frame.depth} ${frame.pc} ${name} costs ${cost}${given}${why}`)
      },
      log: ({ address, topics, data }, depth) => {
        this.lines.push(`${depth} log of ${this.#name(address)}, topics ${topics.length}, data ${bytesToHex(data)}`)
      },
      selfDestruct: ({ depth, address, beneficiary, balance }) => {
        this.#expectNoStep('self-destruct')
        this.lines.push(`${depth} ${this.#name(address)} destroyed, ${balance} to ${this.#name(beneficiary)}`)
      },
    }
  }

  #enter(call: CallStart): void {
    const { kind, depth, caller, address, target, value, gas, input, runs } = call
    this.#expectNoStep('enter')
    if (depth !== this.#calls.length) this.lines.push(`! enter at ${depth}, not ${this.#calls.length}`)
    this.#calls.push(call)
    const place = this.#name(address) === this.#name(target) ? '' : ` in ${this.#name(address)}`
    const moved = value === 0n ? '' : `, value ${value}`
    const data = input.length === 0 ? '' : `, input ${bytesToHex(input)}`
    const what = runs === 'code' ? '' : `, ${runs}`
    this.lines.push(
      `${depth} enter ${kind} ${this.#name(caller)} > ${this.#name(target)}${place}, gas ${gas}${moved}${data}${what}`,
    )
  }

  #exit({ depth, outcome, halt, haltPlace, refusal, atDeposit, refusedCode, gasUsed, output }: CallEnd): void {
    this.#expectNoStep('exit')
    if (depth !== this.#calls.length - 1) this.lines.push(`! exit at ${depth}, not ${this.#calls.length - 1}`)
    this.#calls.pop()
    const why = halt ?? refusal
    const reason = why === undefined ? '' : ` ${why}`
    const at =
      haltPlace === undefined ? '' : ` by ${haltPlace.pc} ${opcodeName(haltPlace.opcode)} on ${haltPlace.stackSize}`
    const data = output.length === 0 ? '' : `, output ${bytesToHex(output)}`
    const deposit = atDeposit ? ' at deposit' : ''
    const refused = refusedCode === undefined ? '' : `, refuses ${refusedCode.length} bytes of code`
    this.lines.push(`${depth} exit ${outcome}${reason}${at}${deposit}, used ${gasUsed}${data}${refused}`)
  }

  #step(frame: FrameView): void {
    const { depth, pc, opcode, gas } = frame
    this.#expectNoStep('step')
    if (depth !== this.#calls.length - 1) this.lines.push(`! step at ${depth}, not ${this.#calls.length - 1}`)
    this.#open = { depth, pc, opcode, gas }
    this.steps.push(opcodeName(opcode))
  }

  #expectNoStep(event: string): void {
    if (this.#open !== undefined)
      this.lines.push(`! ${event} while the step of ${opcodeName(this.#open.opcode)} is open`)
  }

  #name(address: Uint8Array): string {
    const hex = bytesToHex(address)
    return this.#names.get(hex) ?? hex
  }
}
