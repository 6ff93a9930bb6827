import type { CallEnd, CallStart, ExecutionHooks } from '../../../../src/evm/hooks.ts'
import { opcodeName } from '../../../support/evm/evmCode.ts'

interface Account {
  readonly call: CallStart
  /** Costs of its opcodes and gas used by its children, minus unpaid stipends. */
  used: number
  /** Gas set aside for the child that begins next. */
  forwarded: number
  step: { readonly opcode: number; readonly gas: number } | undefined
}

const DEPOSIT_GAS = 200

/** Checks that the gas reported to hooks adds up. */
export class GasLedger {
  /** Inconsistencies found. */
  readonly faults: string[] = []
  /** Totals over all messages so far. */
  readonly seen = { steps: 0, calls: 0, logs: 0 }
  #open: Account[] = []

  get hooks(): ExecutionHooks {
    this.#open = []
    return {
      enter: (call) => {
        this.seen.calls++
        this.#open.push({ call, used: 0, forwarded: 0, step: undefined })
      },
      exit: (end) => this.#exit(end),
      step: ({ depth, opcode, gas }) => {
        this.seen.steps++
        const account = this.#last()
        if (account.call.depth !== depth || account.step !== undefined)
          this.faults.push(`step of ${opcodeName(opcode)}`)
        account.step = { opcode, gas }
      },
      stepEnd: ({ depth, opcode }, cost, forwarded, halt) => {
        const account = this.#last()
        const { step } = account
        account.step = undefined
        account.used += cost
        account.forwarded = forwarded
        const gas = step?.gas ?? -1
        const isSound =
          account.call.depth === depth && step?.opcode === opcode && cost >= 0 && forwarded >= 0 && gas >= 0
        // An SSTORE with sufficient gas may still be refused (EIP-2200).
        const isUnpaid = halt === 'INSUFFICIENT_GAS' && opcode !== 0x55
        if (!isSound || (isUnpaid ? cost <= gas : halt === undefined && cost + forwarded > gas)) {
          this.faults.push(`${opcodeName(opcode)} costs ${cost} + ${forwarded} of ${gas}: ${halt}`)
        }
      },
      log: () => {
        this.seen.logs++
      },
    }
  }

  #last(): Account {
    const account = this.#open.at(-1)
    if (account === undefined) throw new Error('no call is open')
    return account
  }

  #exit({ depth, outcome, gasUsed, output }: CallEnd): void {
    const { call, used, step } = this.#last()
    this.#open.pop()
    if (depth !== call.depth || depth !== this.#open.length || step !== undefined) this.faults.push(`exit at ${depth}`)
    const isCreation = call.kind === 'CREATE' || call.kind === 'CREATE2'
    const deposit = isCreation && outcome === 'success' ? output.length * DEPOSIT_GAS : 0
    const isCounted = call.runs === 'code' && (outcome === 'success' || outcome === 'revert')
    if (isCounted && gasUsed !== used + deposit) this.faults.push(`${call.kind} used ${gasUsed}, not ${used + deposit}`)
    if (outcome === 'halt' && gasUsed !== call.gas) this.faults.push(`${call.kind} kept ${call.gas - gasUsed}`)
    const caller = this.#open.at(-1)
    if (caller !== undefined) caller.used += gasUsed - (call.gas - caller.forwarded)
  }
}
