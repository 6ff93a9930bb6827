/**
 * The condition of searches that a step writes a state variable.
 * @module
 */
import { bytesToBigInt, bytesToHex } from '../../base/primitives/bytes.ts'
import type { FrameView } from '../../evm/hooks.ts'
import type { StepCall, StepCondition, StepView } from '../../tracing/steps/contract.ts'
import { Preimages } from '../layout/preimages.ts'
import { nameSlot } from '../layout/slotNames.ts'
import type { StorageLayout } from '../layout/storageLayout.ts'
import type { DebugCode, DebugKnowledge } from './debugContract.ts'
import { hashedInput } from './hashedInput.ts'
import { wordAt } from './wordsOfFrame.ts'

interface OpenLayout {
  readonly address: string
  code: DebugCode | 'unknown' | undefined
}

const KECCAK256 = 0x20
const SSTORE = 0x55
const TSTORE = 0x5d

export class VariableCondition implements StepCondition {
  readonly hasHistory = true
  readonly opcodes: Uint8Array
  readonly #knowledge: DebugKnowledge
  readonly #name: string
  readonly #preimages = new Preimages()
  readonly #open: OpenLayout[] = []

  /** @param name of a variable, or of one of its members or items, such as `balances[5].amount` */
  constructor(knowledge: DebugKnowledge, name: string) {
    this.#knowledge = knowledge
    this.#name = name
    this.opcodes = new Uint8Array(256)
    for (const opcode of [KECCAK256, SSTORE, TSTORE]) this.opcodes[opcode] = 1
  }

  enter({ start }: StepCall): void {
    this.#open.push({ address: bytesToHex(start.address), code: undefined })
  }

  exit(): void {
    this.#open.pop()
  }

  step({ frame, call }: StepView): boolean {
    if (frame.opcode === KECCAK256) {
      const input = hashedInput(frame)
      if (input !== undefined) this.#preimages.add(input)
      return false
    }
    const layout = this.#layoutFor(frame, call)
    if (layout === undefined || frame.stackSize === 0) return false
    const slot = bytesToBigInt(wordAt(frame, frame.stackSize - 1))
    const variables = frame.opcode === TSTORE ? layout.transient : layout.variables
    const named = nameSlot({ variables, transient: [] }, slot, this.#preimages)
    return named?.variable.split(', ').some((each) => isPartOf(each, this.#name)) === true
  }

  /** Of the running contract; of a library, that of the contract that called it. */
  #layoutFor({ code }: FrameView, { start: { kind } }: StepCall): StorageLayout | undefined {
    const innermost = this.#open.at(-1)
    if (innermost === undefined) return undefined
    innermost.code ??= this.#knowledge.codeOf(code, kind === 'CREATE' || kind === 'CREATE2') ?? 'unknown'
    for (const { address, code: known } of [...this.#open].reverse()) {
      if (address !== innermost.address) return undefined
      if (known === undefined || known === 'unknown' || known.contract.contract?.isLibrary === true) continue
      if (known.contract.layout !== undefined) return known.contract.layout
    }
    return undefined
  }
}

function isPartOf(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
}
