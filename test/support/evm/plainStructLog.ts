/**
 * A simple implementation of Besu's and go-ethereum's struct logs: every entry is an object with copies of all data.
 */

import { bytesToHex, bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import type { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import { type ForkRules, forkRules } from '../../../src/config/forks.ts'
import type { HaltReason } from '../../../src/evm/haltReason.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../../src/evm/hooks.ts'
import type { TraceEnd, Tracer, TracerFactory } from '../../../src/tracing/contract.ts'
import { haltName } from '../../../src/tracing/halts.ts'
import { gethConstantGas, gethHaltCost } from '../../../src/tracing/structLog/gethHalts.ts'
import { besuOpcodeNames, GETH_OPCODE_NAMES } from '../../../src/tracing/structLog/opcodes.ts'

type Entry = Record<string, unknown>
type Slots = ReadonlyMap<string, string>

const words = (frame: FrameView): string[] =>
  Array.from({ length: frame.stackSize }, (_, i) =>
    bytesToHexUnprefixed(Uint8Array.from(frame.stack.slice(32 * i, 32 * i + 32)).reverse()),
  )
const chunks = (memory: Uint8Array, prefix = ''): string[] =>
  Array.from({ length: memory.length / 32 }, (_, i) => prefix + bytesToHexUnprefixed(memory.slice(32 * i, 32 * i + 32)))
const sorted = (slots: Slots | undefined): Record<string, string> =>
  Object.fromEntries([...(slots ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)))
const isCall = (opcode: number): boolean => [0xf1, 0xf2, 0xf4, 0xfa].includes(opcode)

abstract class Plain implements Tracer {
  protected readonly entries: Entry[] = []
  protected readonly calls: { start: CallStart; gas: number }[] = []
  protected pending: Entry = {}
  protected operands: string[] = []
  protected rules: ForkRules = forkRules('frontier')
  readonly #out: JsonWriter

  constructor(out: JsonWriter) {
    this.#out = out
  }

  readonly hooks: ExecutionHooks = {
    enter: (start) => this.enter(start),
    exit: (end) => {
      this.exit(end)
      this.calls.pop()
    },
    step: (frame) => {
      this.operands = words(frame).reverse()
      this.pending = this.before(frame)
    },
    stepEnd: (frame, cost, forwarded, halt) => {
      this.entries.push({ ...this.pending, ...this.after(frame, cost, forwarded, halt) })
    },
  }

  begin({ rules }: { readonly rules: ForkRules }): void {
    this.rules = rules
  }

  end({ result, gasUsed }: TraceEnd): void {
    const failed = result.outcome !== 'success'
    const returnValue = this.returnValue(result.outcome, result.output)
    const structLogs = this.entries.filter((entry) => entry['op'] !== undefined)
    this.#out.value({ structLogs, gas: Number(gasUsed), failed, returnValue })
  }

  protected enter(start: CallStart): void {
    this.calls.push({ start, gas: start.gas })
  }

  protected abstract exit(end: CallEnd): void
  protected abstract before(frame: FrameView): Entry
  protected abstract after(frame: FrameView, cost: number, forwarded: number, halt: string | undefined): Entry
  protected abstract returnValue(outcome: string, output: Uint8Array): string
}

class PlainBesu extends Plain {
  readonly #layers: Map<string, Map<string, string>>[] = []

  protected override enter(start: CallStart): void {
    super.enter(start)
    this.#layers.push(new Map())
  }

  protected exit({ depth, outcome, halt, atDeposit, output }: CallEnd): void {
    const last = this.entries.at(-1)
    const { start } = this.calls.at(-1) as { start: CallStart }
    const inner = this.#layers.pop()
    const outer = this.#layers.at(-1)
    if (outcome === 'success') {
      for (const [address, slots] of inner ?? [])
        outer?.set(address, new Map([...(outer.get(address) ?? []), ...slots]))
    }
    if (outcome === 'revert' && last?.['op'] === 'REVERT') {
      last['reason'] = `0x${bytesToHexUnprefixed(output).replace(/^0+/, '')}`
    }
    const error = halt === undefined ? {} : { error: [haltName(halt)] }
    const rest = { pc: 0, gas: start.gas, gasCost: 0, depth: depth + 1 }
    const isCreation = start.kind.startsWith('CREATE')
    if (outcome === 'refused') return
    if (atDeposit) Object.assign(last as Entry, error)
    if (start.runs === 'precompile' && depth === 0)
      this.entries.push({ ...rest, op: '', stack: null, memory: null, storage: null, reason: null, ...error })
    if (start.runs === 'nothing' && outcome === 'success')
      this.entries.push({ ...rest, op: 'STOP', stack: [], memory: [], storage: {}, reason: null })
    if (start.runs === 'nothing' && outcome === 'halt' && isCreation) Object.assign(last as Entry, error)
  }

  protected before(frame: FrameView): Entry {
    const { pc, opcode, gas, depth } = frame
    return { pc, op: besuOpcodeNames(this.rules)[opcode], gas, depth: depth + 1, stack: words(frame) }
  }

  protected after(frame: FrameView, cost: number, forwarded: number, halt: string | undefined): Entry {
    const [slot, value] = this.operands
    const address = bytesToHex(frame.address)
    const layer = this.#layers.at(-1)
    if (frame.opcode === 0x55 && halt === undefined)
      layer?.set(address, new Map(layer.get(address)).set(slot as string, value as string))
    const gasCost = !this.rules.eips.has(150) && isCall(frame.opcode) ? cost + forwarded : cost
    const error = halt === undefined ? {} : { error: [halt] }
    return { gasCost, memory: chunks(frame.memory), storage: sorted(layer?.get(address)), reason: null, ...error }
  }

  protected returnValue(outcome: string, output: Uint8Array): string {
    return outcome === 'success' ? bytesToHexUnprefixed(output) : ''
  }
}

class PlainGeth extends Plain {
  readonly #storage = new Map<string, Map<string, string>>()

  protected exit(): void {}

  protected before(frame: FrameView): Entry {
    if (frame.code.length === 0) return {}
    const { pc, opcode, gas, depth, returnData } = frame
    const memory = chunks(frame.memory, '0x')
    return {
      pc,
      op: GETH_OPCODE_NAMES[opcode],
      gas,
      depth: depth + 1,
      stack: words(frame).map((word) => `0x${word.replace(/^0{1,63}/, '')}`),
      ...(returnData.length === 0 ? {} : { returnData: bytesToHex(returnData) }),
      ...(memory.length === 0 ? {} : { memory }),
    }
  }

  protected after(frame: FrameView, cost: number, forwarded: number, halt: string | undefined): Entry {
    return {
      gasCost:
        halt === undefined ? (isCall(frame.opcode) ? cost + forwarded : cost) : this.#haltCost(frame, cost, halt),
      ...this.#storageAfter(frame, halt),
      ...(frame.refund === 0 ? {} : { refund: frame.refund }),
    }
  }

  #haltCost({ opcode }: FrameView, cost: number, halt: string): number {
    const step = { opcode, gas: this.pending['gas'] as number }
    return gethHaltCost(halt as HaltReason, step, cost, gethConstantGas(this.rules), this.rules.eips.has(2200))
  }

  #storageAfter(frame: FrameView, halt: string | undefined): Entry {
    const [slot, value] = this.operands
    const isRead = frame.opcode === 0x54
    if ((!isRead && frame.opcode !== 0x55) || slot === undefined || (isRead ? slot : value) === undefined) return {}
    const address = bytesToHex(frame.address)
    const slots = this.#storage.get(address) ?? new Map<string, string>()
    this.#storage.set(address, slots)
    const read = halt === undefined ? words(frame).at(-1) : (slots.get(`0x${slot}`)?.slice(2) ?? '0'.repeat(64))
    slots.set(`0x${slot}`, `0x${isRead ? read : value}`)
    return { storage: sorted(slots) }
  }

  protected returnValue(outcome: string, output: Uint8Array): string {
    return outcome === 'halt' ? '0x' : bytesToHex(output)
  }
}

export const plainBesu: TracerFactory = (out) => new PlainBesu(out)
/** Without error texts. */
export const plainGeth: TracerFactory = (out) => new PlainGeth(out)
