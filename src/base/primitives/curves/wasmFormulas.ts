/**
 * Formulas over fields in WebAssembly: they are recorded once and become functions that call the field's module, so that
 * a whole formula costs one call from JavaScript and allocates no intermediate element.
 * @module
 */
import type { FieldPair, Formulas, Lengths } from './field.ts'
import type { MontgomeryExports } from './montgomeryModule.ts'
import { I32, linkedModule, op, type WasmFunction } from './wasmBinary.ts'

/** The field's functions that formulas call. */
const OPERATIONS = [
  'add',
  'sub',
  'mul',
  'sqr',
  'add2',
  'sub2',
  'mul2',
  'sqr2',
  'addUnreduced',
  'addUnreduced2',
] as const
type Operation = (typeof OPERATIONS)[number]

/** An address in memory, or a negative number for an element of the formula. */
type Cell = number
/** A half of an element of the extension. */
type Half = 0 | 1
type Operand = readonly [cell: Cell, half: Half]

interface Call {
  readonly operation: Operation
  readonly half: Half
  readonly operands: readonly Operand[]
}

/** The calls that compute one element. */
interface Step {
  readonly result: Cell
  readonly calls: readonly Call[]
}

export interface FormulaMemory {
  readonly wasm: MontgomeryExports
  readonly fields: FieldPair<Cell, Cell>
  /** Bytes of an element of the prime field. */
  readonly bytes: number
  /** Allocates memory. */
  take(size: number): Cell
  /** The memory as numbers, until it grows. */
  words(): Uint32Array
}

/** @returns the formulas as functions; undefined when the host does not compile at once */
export function compileFormulas<R, O extends Formulas>(
  memory: FormulaMemory,
  fieldsOf: (recorder: FieldPair<Cell, Cell>) => R,
  create: (fields: R) => O,
  lengths: Lengths<O>,
): O | undefined {
  const recorded = Object.entries<readonly number[]>(lengths).map(([name, inputs]) => {
    const recorder = new Recorder(memory.fields)
    const args = inputs.map((length) => Array.from({ length }, () => recorder.input()))
    const formula = create(fieldsOf(recorder.fields))[name] as unknown as (...args: Cell[][]) => readonly Cell[]
    return { name, recorder, outputs: formula(...args) }
  })
  const { bytes, wasm } = memory
  const addresses = memory.take(Math.ceil((4 * Math.max(...recorded.map(({ recorder }) => recorder.inputs))) / 8) * 8)
  const scratch = memory.take(Math.max(...recorded.map(({ recorder }) => recorder.steps.length)) * 2 * bytes)
  try {
    const functions = recorded.map(({ name, recorder, outputs }) =>
      functionOf(name, recorder, outputs, { bytes, scratch, addresses }),
    )
    const imports = OPERATIONS.map((name) => ({ name, parameters: wasm[name].length }))
    const module = new WebAssembly.Module(linkedModule(functions, imports))
    const { exports } = new WebAssembly.Instance(module, { '': wasm as unknown as WebAssembly.ModuleImports })
    const entries = recorded.map(({ name, outputs }) => [name, caller(exports[name], outputs, addresses, memory)])
    return Object.fromEntries(entries) as O
  } catch {
    // Pages may forbid compiling at once.
    return undefined
  }
}

function caller(
  compiled: WebAssembly.ExportValue | undefined,
  outputs: readonly Cell[],
  addresses: Cell,
  { bytes, take, words }: FormulaMemory,
): (...args: readonly (readonly Cell[])[]) => Cell[] {
  const run = compiled as unknown as (target: Cell) => void
  const size = 2 * bytes
  const { length } = outputs
  return (...args) => {
    const target = take(size * length)
    const cells = words()
    let next = addresses / 4
    for (let i = 0; i < args.length; i++) {
      const arg = args[i] as readonly Cell[]
      for (let j = 0; j < arg.length; j++) cells[next++] = arg[j] as Cell
    }
    run(target)
    const results: Cell[] = []
    for (let i = 0; i < length; i++) results.push(target + i * size)
    return results
  }
}

/** Records the operations of one formula. */
class Recorder {
  readonly steps: Step[] = []
  /** Number of inputs, which are the first elements: -1, -2, … */
  inputs = 0
  readonly fields: FieldPair<Cell, Cell>

  constructor(fields: FieldPair<Cell, Cell>) {
    const { fp, fp2 } = fields
    const one = (operation: Operation) => (a: Cell, b: Cell) => this.#element([plain(operation, a, b)])
    const [add, sub, mul] = [one('add'), one('sub'), one('mul')]
    const recorded = {
      fp: { ...fp, add, sub, mul, neg: (a: Cell) => sub(fp.zero, a), sqr: (a: Cell) => one('sqr')(a, a) },
      fp2: {
        ...fp2,
        add: one('add2'),
        sub: one('sub2'),
        mul: one('mul2'),
        neg: (a: Cell) => one('sub2')(fp2.zero, a),
        sqr: (a: Cell) => this.#element([{ operation: 'sqr2', half: 0, operands: [[a, 0]] }]),
        conjugate: (a: Cell) =>
          this.#element([halfOf('add', 0, [a, 0], [fp.zero, 0]), halfOf('sub', 1, [fp.zero, 0], [a, 1])]),
        addRotated: (a: Cell, b: Cell) =>
          this.#element([halfOf('sub', 0, [a, 0], [b, 1]), halfOf('add', 1, [a, 1], [b, 0])]),
        scale: (a: Cell, factor: Cell) =>
          this.#element([halfOf('mul', 0, [a, 0], [factor, 0]), halfOf('mul', 1, [a, 1], [factor, 0])]),
      },
    } as const
    this.fields = { ...fields, ...recorded }
  }

  input(): Cell {
    this.inputs++
    return -this.inputs
  }

  #element(calls: readonly Call[]): Cell {
    const result = -(this.inputs + this.steps.length + 1)
    this.steps.push({ result, calls })
    return result
  }
}

function halfOf(operation: Operation, half: Half, ...operands: readonly Operand[]): Call {
  return { operation, half, operands }
}

function plain(operation: Operation, a: Cell, b: Cell): Call {
  return halfOf(operation, 0, [a, 0], [b, 0])
}

interface Layout {
  readonly bytes: number
  readonly scratch: Cell
  /** Where the addresses of the inputs are. */
  readonly addresses: Cell
}

/** Its parameter is the address of the outputs. */
function functionOf(
  name: string,
  { steps, inputs }: Recorder,
  outputs: readonly Cell[],
  { bytes, scratch, addresses }: Layout,
): WasmFunction {
  const size = 2 * bytes
  const places = placesOf(steps, outputs)
  const factors = factorsOf(steps, outputs)
  const addressOf = ([cell, half]: Operand): number[] => {
    const offset = half * bytes
    if (cell >= 0) return op.i32(cell + offset)
    if (cell >= -inputs) return at(-cell, offset)
    const output = outputs.indexOf(cell)
    return output >= 0 ? at(0, output * size + offset) : op.i32(scratch + (places.get(cell) as number) * size + offset)
  }
  const loads = Array.from({ length: inputs }, (_, i) => [
    ...[...op.i32(addresses), ...op.load32(4 * i), ...op.set(1 + i)],
  ])
  const code = steps.flatMap(({ result, calls }) =>
    calls.flatMap(({ operation, half, operands }) => [
      ...[[result, half] as const, ...operands].flatMap(addressOf),
      ...op.call(OPERATIONS.indexOf(factors.has(result) ? unreduced(operation) : operation)),
    ]),
  )
  return { name, parameters: 1, returns: false, locals: [[inputs, I32]], code: [...loads.flat(), ...code] }
}

function at(local: number, offset: number): number[] {
  return offset === 0 ? op.get(local) : [...op.get(local), ...op.i32(offset), ...op.add32]
}

/** Elements that are used as factors of products only. */
function factorsOf(steps: readonly Step[], outputs: readonly Cell[]): Set<Cell> {
  const factors = new Set(steps.filter(({ calls }) => calls.length === 1).map(({ result }) => result))
  for (const output of outputs) factors.delete(output)
  for (const { operation, operands } of steps.flatMap(({ calls }) => calls)) {
    if (!(operation === 'mul' || operation === 'sqr' || operation === 'mul2'))
      for (const [cell] of operands) factors.delete(cell)
  }
  return factors
}

function unreduced(operation: Operation): Operation {
  return operation === 'add' ? 'addUnreduced' : operation === 'add2' ? 'addUnreduced2' : operation
}

/** Places in the scratch memory for all elements but the outputs. A place is used again after the last use of its element. */
function placesOf(steps: readonly Step[], outputs: readonly Cell[]): Map<Cell, number> {
  const lastUse = new Map<Cell, number>()
  for (const [i, { calls }] of steps.entries()) {
    for (const { operands } of calls) for (const [cell] of operands) lastUse.set(cell, i)
  }
  const places = new Map<Cell, number>()
  const free: number[] = []
  let count = 0
  for (const [i, { result, calls }] of steps.entries()) {
    // Targets must not overlap operands, so these are freed afterwards.
    if (!outputs.includes(result)) places.set(result, free.pop() ?? count++)
    const used = new Set(calls.flatMap(({ operands }) => operands.map(([cell]) => cell)))
    for (const cell of used) {
      const place = places.get(cell)
      if (place !== undefined && lastUse.get(cell) === i) free.push(place)
    }
  }
  return places
}
