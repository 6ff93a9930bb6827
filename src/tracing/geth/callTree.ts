/**
 * The calls of a transaction as a tree, the basis of callTracer and flatCallTracer.
 * @module
 */

import { bytesToHex, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { CallEnd, CallKind, CallStart, ExecutionHooks, FrameView, SelfDestructEvent } from '../../evm/hooks.ts'
import { type PrecompileName, precompileAt } from '../../evm/precompiles/index.ts'
import { revertReason } from '../../evm/revertReason.ts'
import type { Log } from '../../types/receipt.ts'
import type { TraceBegin, TraceEnd } from '../contract.ts'
import { HeldBytes } from '../heldBytes.ts'
import { initCodeSizeOf } from '../structLog/gethHalts.ts'
import { errorText } from './errorText.ts'
import { precompileFault } from './precompileFault.ts'

export interface FrameLog {
  readonly log: Log
  /** index within the block */
  readonly index: number
  /** Number of calls that the frame had made before the log. */
  readonly position: number
}

/** Addresses are in hex. */
export interface CallFrame {
  readonly type: CallKind | 'SELFDESTRUCT'
  readonly from: string
  /** undefined for a failed creation */
  to: string | undefined
  /** ADDRESS within the frame */
  readonly address: string
  /** undefined under STATICCALL */
  readonly value: bigint | undefined
  /** For the root, the gas limit of the transaction. */
  readonly gas: bigint | number
  gasUsed: bigint | number
  readonly input: Uint8Array
  /** Empty when there is no output. */
  output: Uint8Array
  error: string | undefined
  revertReason: string | undefined
  /** The precompile of the fork at the target address. */
  readonly precompile: PrecompileName | undefined
  /** undefined when empty, as for most frames */
  calls: CallFrame[] | undefined
  logs: FrameLog[] | undefined
}

export interface CallTreeOptions {
  /** Whether to record only the root. */
  readonly onlyTopCall: boolean
  readonly withLog: boolean
}

/** Estimated memory of a frame or log without its data, in bytes. */
const ENTRY_BYTES = 256
const SSTORE = 0x55

/** SSTORE, CREATE and CREATE2: their error text depends on the state before the opcode. */
const WATCHED: Uint8Array = new Uint8Array(256)
for (const opcode of [SSTORE, 0xf0, 0xf5]) WATCHED[opcode] = 1

export class CallTree {
  readonly hooks: ExecutionHooks
  readonly #options: CallTreeOptions
  readonly #open: CallFrame[] = []
  /** Number of logs at the start of each open frame, for discarding the logs of a failed frame. */
  readonly #logsBefore: number[] = []
  #context: TraceBegin | undefined
  #root: CallFrame | undefined
  #logCount = 0
  /** Gas before the last SSTORE. */
  #storeGas = 0
  /** Init code size of the last creation, bytes. */
  #initCodeSize = 0
  readonly #held = new HeldBytes()

  constructor(options: CallTreeOptions) {
    this.#options = options
    this.hooks = {
      opcodes: WATCHED,
      step: (frame) => this.#step(frame),
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      ...(options.onlyTopCall ? {} : { selfDestruct: (event: SelfDestructEvent) => this.#selfDestruct(event) }),
      ...(options.withLog ? { log: (log: Log, depth: number) => this.#log(log, depth) } : {}),
    }
  }

  begin(context: TraceBegin): void {
    this.#context = context
    this.#logCount = context.transaction.position?.logsBefore ?? 0
  }

  /** The root, with the gas used by the transaction. */
  root({ gasUsed }: TraceEnd): CallFrame {
    const root = this.#root
    if (root === undefined) throw new TypeError('a transaction was traced that made no call')
    root.gasUsed = gasUsed
    return root
  }

  #step({ opcode, gas, stack, stackSize }: FrameView): void {
    if (opcode === SSTORE) this.#storeGas = gas
    else this.#initCodeSize = initCodeSizeOf(stack, stackSize)
  }

  #enter(call: CallStart): void {
    if (this.#isLeftOut(call.depth)) return
    this.#held.add(ENTRY_BYTES + call.input.length)
    const parent = this.#open.at(-1)
    const frame = this.#newFrame(call, parent)
    if (parent === undefined) this.#root = frame
    else addCall(parent, frame)
    this.#open.push(frame)
    this.#logsBefore.push(this.#logCount)
  }

  #newFrame(call: CallStart, parent: CallFrame | undefined): CallFrame {
    const { kind, input } = call
    const from = parent?.address ?? bytesToHex(call.caller)
    const to = bytesToHex(call.target)
    const { rules, transaction } = this.#context as TraceBegin
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    return {
      type: kind,
      from,
      to,
      address: kind === 'CALLCODE' || kind === 'DELEGATECALL' ? from : to,
      value: kind === 'STATICCALL' ? undefined : call.value,
      gas: parent === undefined ? transaction.gasLimit : call.gas,
      gasUsed: 0,
      input: input.length === 0 ? EMPTY_BYTES : input,
      output: EMPTY_BYTES,
      error: undefined,
      revertReason: undefined,
      precompile: isCreation ? undefined : precompileAt(call.target, rules)?.name,
      calls: undefined,
      logs: undefined,
    }
  }

  #exit(end: CallEnd): void {
    if (this.#isLeftOut(end.depth)) return
    this.#held.add(end.output.length)
    const frame = this.#open.pop() as CallFrame
    const logsBefore = this.#logsBefore.pop() as number
    frame.gasUsed = end.gasUsed
    frame.error = this.#errorOf(frame, end)
    if (frame.error === undefined) {
      const output = end.refusedCode ?? end.output
      if (output.length > 0) frame.output = output
      return
    }
    this.#logCount = logsBefore
    if (frame.type === 'CREATE' || frame.type === 'CREATE2') frame.to = undefined
    if (end.outcome !== 'revert' || end.output.length === 0) return
    frame.output = end.output
    frame.revertReason = revertReason(bytesToHex(end.output))
  }

  #selfDestruct({ address, beneficiary, balance }: SelfDestructEvent): void {
    this.#held.add(ENTRY_BYTES)
    const from = bytesToHex(address)
    const parent = this.#open.at(-1)
    if (parent === undefined) return
    addCall(parent, {
      type: 'SELFDESTRUCT',
      from,
      to: bytesToHex(beneficiary),
      address: from,
      value: balance,
      gas: 0,
      gasUsed: 0,
      input: EMPTY_BYTES,
      output: EMPTY_BYTES,
      error: undefined,
      revertReason: undefined,
      precompile: undefined,
      calls: undefined,
      logs: undefined,
    })
  }

  #log(log: Log, depth: number): void {
    if (this.#isLeftOut(depth)) return
    this.#held.add(ENTRY_BYTES + log.data.length)
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    frame.logs ??= []
    frame.logs.push({ log, index: this.#logCount++, position: frame.calls?.length ?? 0 })
  }

  #errorOf({ precompile, input }: CallFrame, end: CallEnd): string | undefined {
    if (end.halt === 'PRECOMPILE_ERROR') return precompileFault(precompile, input)
    const guardsReentrancy = this.#context?.rules.eips.has(2200) === true
    return errorText({ storeGas: this.#storeGas, initCodeSize: this.#initCodeSize, guardsReentrancy }, end)
  }

  #isLeftOut(depth: number): boolean {
    return this.#options.onlyTopCall && depth > 0
  }
}

function addCall(parent: CallFrame, call: CallFrame): void {
  parent.calls ??= []
  parent.calls.push(call)
}
