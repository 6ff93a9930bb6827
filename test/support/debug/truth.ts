/** Compares the variables of the debugger with those that instrumented code reports. */
import { type AbiParameter, decodeAbiParameters } from 'viem'
import type { DebugView } from '../../../src/abi/debug/debugView.ts'
import { AstIndex } from '../../../src/abi/layout/astIndex.ts'
import { AstTypes } from '../../../src/abi/layout/astTypes.ts'
import type { SolidityType } from '../../../src/abi/layout/solidityType.ts'
import type { Variable, VariableValue } from '../../../src/abi/layout/variable.ts'
import { bytesToHex, bytesToHexUnprefixed, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { FrameView } from '../../../src/evm/hooks.ts'
import { type CompiledProject, compileProject, syntaxTree } from '../evm/solidity.ts'
import { type DebuggedOptions, DebuggedProject, emptyState } from './debugged.ts'
import { type Instrumented, instrument, type Probe } from './instrument.ts'

export interface Tally {
  known: number
  unknown: number
}

export interface Truth {
  readonly byRole: Record<Probe['role'], Tally>
  /** Values that differ from those that the code reported. */
  readonly wrong: readonly string[]
  /** Variables that were not known, by name, with the line of the source. */
  readonly missing: readonly string[]
}

const TOPIC = bytesToHex(keccak256(new TextEncoder().encode('Probe(uint256,bytes)')))
const LOG1 = 0xa1
const LAYOUTS = ['storageLayout', 'transientStorageLayout']

export interface InstrumentedProject extends Instrumented {
  readonly project: CompiledProject
}

/** The copy that truthOf runs. @param furtherOutputs of the compiler */
export function instrumentedProject(
  source: string,
  settings: object = {},
  furtherOutputs: readonly string[] = [],
): InstrumentedProject {
  const instrumented = instrument(source, syntaxTree(source))
  const outputs = [...LAYOUTS, ...furtherOutputs]
  return { ...instrumented, project: compileProject({ 'Test.sol': instrumented.source }, settings, outputs) }
}

/** @param call ABI-encoded messages to the contract after its creation */
export async function truthOf(
  source: string,
  contract: string,
  {
    constructorData = '',
    calls,
    settings = {},
    onCreated,
    onProbe,
    ...options
  }: DebuggedOptions & {
    readonly constructorData?: string
    readonly calls: readonly `0x${string}`[]
    readonly settings?: object
    /** Called with the storage of the contract after its creation. */
    readonly onCreated?: (storage: ReadonlyMap<string, Uint8Array>) => void
    /** Called with each probe that the calls report, in their order. */
    readonly onProbe?: (probe: Probe) => void
  },
): Promise<Truth> {
  const { project, probes } = instrumentedProject(source, settings)
  const truth = new TruthRun(project, probes, options)
  const created = await truth.message(undefined, `0x${codeOf(project, contract)}${constructorData}`)
  if (created !== undefined) onCreated?.(truth.storageOf(created))
  truth.onProbe = onProbe
  for (const data of calls) await truth.message(created, data)
  return truth
}

function codeOf({ output }: CompiledProject, contract: string): string {
  return output.contracts['Test.sol']?.[contract]?.evm.bytecode.object ?? ''
}

class TruthRun implements Truth {
  readonly byRole: Truth['byRole'] = {
    state: { known: 0, unknown: 0 },
    parameter: { known: 0, unknown: 0 },
    result: { known: 0, unknown: 0 },
    local: { known: 0, unknown: 0 },
  }
  readonly wrong: string[] = []
  readonly missing: string[] = []
  onProbe: ((probe: Probe) => void) | undefined
  readonly #project: DebuggedProject
  readonly #probes: readonly Probe[]
  readonly #types: ReadonlyMap<string, readonly SolidityType[]>
  readonly #state = emptyState()
  /** Probes with consecutive numbers report the same moment. */
  #last: { readonly id: number; readonly depth: number; readonly view: DebugView } | undefined

  constructor(project: CompiledProject, probes: readonly Probe[], options: DebuggedOptions) {
    this.#project = new DebuggedProject(project, options)
    this.#probes = probes
    this.#types = typesByName(project)
  }

  async message(to: Uint8Array | undefined, data: `0x${string}`): Promise<Uint8Array | undefined> {
    const result = await this.#project.run(this.#state, to, hexToBytes(data), (frame, view) => this.#step(frame, view))
    if (result.outcome !== 'success')
      throw new Error(`the message failed: ${result.outcome} ${bytesToHex(result.output)}`)
    return result.createdAddress ?? to
  }

  storageOf(address: Uint8Array): ReadonlyMap<string, Uint8Array> {
    return this.#state.entries().get(bytesToHexUnprefixed(address))?.storage ?? new Map()
  }

  #step(frame: FrameView, view: (hasLines?: boolean) => DebugView): void {
    if (frame.opcode !== LOG1) return
    const word = (depth: number): Uint8Array => {
      const at = (frame.stackSize - 1 - depth) * 32
      return frame.stack.slice(at, at + 32).reverse()
    }
    if (bytesToHex(word(2)) !== TOPIC) return
    const start = Number(BigInt(bytesToHex(word(0))))
    const length = Number(BigInt(bytesToHex(word(1))))
    const [id, value] = decodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bytes' }],
      bytesToHex(frame.memory.slice(start, start + length)) as `0x${string}`,
    )
    const probe = this.#probes[Number(id)]
    const isSame =
      this.#last?.id === Number(id) - 1 &&
      probe?.at === this.#probes[this.#last.id]?.at &&
      this.#last.depth === frame.depth
    const seen = isSame && this.#last !== undefined ? this.#last.view : view(false)
    this.#last = { id: Number(id), depth: frame.depth, view: seen }
    if (probe === undefined) return
    this.onProbe?.(probe)
    this.#compare(probe, value, seen)
  }

  #compare({ name, role }: Probe, encoded: `0x${string}`, view: DebugView): void {
    const list = role === 'state' ? view.state : role === 'result' ? view.results : view.locals
    const found = list.findLast((variable) => variable.name === name)
    const place = `${view.functions[0]?.name}:${view.source?.line} ${role} ${name}`
    if (found?.known !== true) {
      this.byRole[role].unknown++
      this.missing.push(`${place}: ${found?.text}`)
      return
    }
    this.byRole[role].known++
    const actual = JSON.stringify(found.value)
    const wanted = (this.#types.get(name) ?? []).map((type) => JSON.stringify(decoded(type, encoded)))
    if (!wanted.includes(actual)) this.wrong.push(`${place}: ${actual} instead of ${wanted.join(' or ')}`)
  }
}

/** Types of all variables with a name. */
function typesByName({ output }: CompiledProject): Map<string, SolidityType[]> {
  const found = new Map<string, SolidityType[]>()
  const index = new AstIndex(Object.values(output.sources).map(({ ast }) => ast))
  const types = new AstTypes(index)
  for (const { ast } of Object.values(output.sources)) {
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { nodeType, name, typeName, id } = node as Record<string, unknown>
      if (nodeType === 'VariableDeclaration' && typeof name === 'string') {
        const type = types.of({ typeName, id } as never)
        if (type !== undefined) found.set(name, [...(found.get(name) ?? []), type])
      }
      for (const child of Object.values(node)) visit(child)
    }
    visit(ast)
  }
  return found
}

function decoded(type: SolidityType, encoded: `0x${string}`): VariableValue | undefined {
  try {
    const [value] = decodeAbiParameters([abiOf(type)], encoded)
    return normal(type, value)
  } catch {
    return undefined
  }
}

function abiOf(type: SolidityType, name = 'x'): AbiParameter {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return { name, type: `${type.kind}${type.bits}` }
    case 'fixedBytes':
      return { name, type: `bytes${type.length}` }
    case 'enum':
      return { name, type: 'uint8' }
    case 'function':
      return { name, type: 'bytes24' }
    case 'struct':
      return { name, type: 'tuple', components: type.members().members.map((each) => abiOf(each.type, each.name)) }
    case 'array': {
      const item = abiOf(type.item, name)
      return { ...item, type: `${item.type}[${type.length ?? ''}]` } as AbiParameter
    }
    case 'mapping':
    case 'opaque':
      throw new Error('no ABI type')
    default:
      return { name, type: type.kind }
  }
}

function normal(type: SolidityType, value: unknown): VariableValue {
  if (type.kind === 'array') return (value as readonly unknown[]).map((each) => normal(type.item, each))
  if (type.kind === 'struct') {
    return type.members().members.map((each) => normal(each.type, (value as Record<string, unknown>)[each.name]))
  }
  if (typeof value === 'boolean') return value
  const text = String(value)
  return text.startsWith('0x') && type.kind !== 'string' ? text.toLowerCase() : text
}

export type { Variable }
