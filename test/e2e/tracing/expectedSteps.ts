/** Converts anvil's opcode traces into the ones expected of us. */
import { type DifferenceName, type Met, STEP_ERRORS } from './differences.ts'

const CREATION_GAS = 32_000
/** EIP-7702 */
const AUTHORITY_REFUND = 12_500

export interface Step {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack: readonly string[]
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly refund?: number
}

export interface OpcodeTrace {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly Step[]
}

/** Data known about the transaction. */
export interface Traced {
  /** Whether it has empty init code. */
  readonly isEmptyCreation: boolean
  /** Number of its authorizations. */
  readonly authorizations: number
}

export function expectedOpcodeTrace(
  anvil: OpcodeTrace,
  ours: OpcodeTrace,
  { isEmptyCreation, authorizations }: Traced,
  met: Met,
): OpcodeTrace {
  const steps = withoutEmptyInitCode(anvil.structLogs, isEmptyCreation, met)
  const paidBack = AUTHORITY_REFUND * authorizations
  const first = ours.structLogs[0]?.refund ?? 0
  // Authorizations without effect are not refunded.
  const refunds = refundCounters(steps, first % AUTHORITY_REFUND === 0 && first <= paidBack ? first : 0)
  const slots = new NotedSlots(met)
  const structLogs = steps.map((step, i) => {
    const own = ours.structLogs[i]
    if (own === undefined) return step
    return { ...expectedStep(step, own, refunds[i] as number, met), ...slots.at(step, steps[i + 1], own) }
  })
  return { ...anvil, structLogs }
}

/** anvil lists the STOP of empty init code after the creation. */
function withoutEmptyInitCode(steps: readonly Step[], isEmptyCreation: boolean, met: Met): readonly Step[] {
  return steps.filter(({ op, pc, depth }, i) => {
    if (op !== 'STOP' || pc !== 0) return true
    const before = steps[i - 1]
    const isOfCreation = before?.op.startsWith('CREATE') === true && before.depth === depth - 1
    const isEmpty = before === undefined ? isEmptyCreation : isOfCreation && BigInt(before.stack.at(-3) ?? 1) === 0n
    if (isEmpty) met.add('structLog: empty init code')
    return !isEmpty
  })
}

/**
 * The refund counter of the transaction at each step, computed from anvil's values. Those are per frame and precede the
 * opcode; after SSTORE, the value is in the frame's next step.
 * @param start counter before the first opcode
 */
function refundCounters(steps: readonly Step[], start: number): readonly number[] {
  /** Refunds of the parent frames at the time of their calls, by depth. */
  const above = [0, start]
  return steps.map((step, i) => {
    const base = above[step.depth] as number
    above[step.depth + 1] = base + (step.refund ?? 0)
    const next = steps[i + 1]
    const hasNext = step.op === 'SSTORE' && step.error === undefined && next?.depth === step.depth
    return base + ((hasNext ? next.refund : step.refund) ?? 0)
  })
}

function expectedStep(step: Step, ours: Step, refund: number, met: Met): Step {
  const { memory, refund: shown, error: _, storage: __, ...rest } = step
  const error = expectedError(step, ours, met)
  if (memory?.length === 0 || shown === 0) met.add('structLog: empty members')
  if ((shown ?? 0) !== refund) met.add('structLog: refund')
  return {
    ...rest,
    op: expectedName(step, ours, met),
    gasCost: expectedCost(step, ours, met),
    ...(error === undefined ? {} : { error }),
    ...(memory === undefined || memory.length === 0 ? {} : { memory }),
    ...(refund === 0 ? {} : { refund }),
  }
}

function expectedError({ error }: Step, ours: Step, met: Met): string | undefined {
  if (error === undefined || !Object.hasOwn(STEP_ERRORS, error)) return error
  const allowed = STEP_ERRORS[error]
  const isAllowed = allowed === undefined ? ours.error === undefined : allowed.test(ours.error ?? '')
  if (!isAllowed) return error
  met.add('structLog: errors')
  return ours.error
}

function expectedName({ op }: Step, ours: Step, met: Met): string {
  if (op !== 'Unknown' || !/^opcode 0x[0-9a-f]+ not defined$/.test(ours.op)) return op
  met.add('structLog: undefined opcodes')
  return ours.op
}

function expectedCost(step: Step, ours: Step, met: Met): number {
  const { op, gas, gasCost, error } = step
  if (gasCost === ours.gasCost) return gasCost
  const explained = (name: DifferenceName): number => {
    met.add(name)
    return ours.gasCost
  }
  if (error !== undefined) {
    const isOutOfGas = ours.error?.startsWith('out of gas') === true
    const isTold = isOutOfGas ? ours.gasCost > gas || isTooLargeCreation(ours) : ours.gasCost === 0
    return isTold ? explained('structLog: gas cost of what failed') : gasCost
  }
  const left = gas - ours.gasCost
  const isCreation = op === 'CREATE' || op === 'CREATE2'
  if (isCreation && gasCost === ours.gasCost + left - Math.floor(left / 64)) {
    return explained('structLog: gas cost of creations')
  }
  return gasCost
}

/** Only the constant part of its cost is known. */
function isTooLargeCreation({ error, gasCost }: Step): boolean {
  return error?.includes('max initcode size') === true && gasCost === CREATION_GAS
}

/** Slots of a transaction's accounts that go-ethereum has recorded and anvil has not. */
class NotedSlots {
  readonly #values = new Map<string, string>()
  readonly #met: Met

  constructor(met: Met) {
    this.#met = met
  }

  /** The expected storage at a step, which is included in later steps. */
  at({ op, error, stack, storage }: Step, next: Step | undefined, ours: Step): Pick<Step, 'storage'> {
    if (storage === undefined || ours.storage === undefined) return storage === undefined ? {} : { storage }
    const top = stack.at(-1)
    const value = stack.at(-2) ?? '0x'
    if (top !== undefined && op === 'SSTORE' && storage[word(top)] !== word(value)) this.#note(word(top), word(value))
    if (top !== undefined && op === 'SLOAD' && storage[word(top)] === undefined) {
      // The value read is on the stack of the next step.
      const read = error === undefined ? next?.stack.at(-1) : ours.storage[word(top)]
      if (read !== undefined) this.#note(word(top), word(read))
    }
    const noted = [...this.#values].filter(([slot, known]) => ours.storage?.[slot] === known)
    return { storage: { ...storage, ...Object.fromEntries(noted) } }
  }

  #note(slot: string, value: string): void {
    this.#met.add('structLog: storage of what changed nothing')
    this.#values.set(slot, value)
  }
}

function word(value: string): string {
  return `0x${value.slice(2).padStart(64, '0')}`
}
