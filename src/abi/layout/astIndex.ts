/**
 * The definitions of a compilation, from its syntax trees.
 * @module
 */
import { plainText } from '../plainText.ts'
import { type AstFunction, readFunction } from './astFunction.ts'
import { type AstNode, type AstRange, idIn, isWithin, nodeOf, nodesOf, rangeOf, textIn } from './astNodes.ts'
import { type AstVariable, readVariable } from './astVariable.ts'

export interface AstContract {
  readonly id: number
  readonly name: string
  readonly isLibrary: boolean
  readonly range: AstRange
  /** Identifiers of the contract and its bases, the most derived first. */
  readonly linearized: readonly number[]
  readonly variables: readonly AstVariable[]
  /** The expression of `layout at`. */
  readonly baseSlot: AstNode | undefined
}

const MAX_DEFINITIONS = 100_000
const MAX_BASES = 256
const MAX_OVERLAPS = 8
const MAX_NAME_LENGTH = 120
const TYPE_DEFINITIONS: ReadonlySet<string> = new Set([
  'StructDefinition',
  'EnumDefinition',
  'UserDefinedValueTypeDefinition',
  'ContractDefinition',
])

export class AstIndex {
  readonly #contracts = new Map<number, AstContract>()
  readonly #types = new Map<number, AstNode>()
  readonly #variables = new Map<number, AstVariable>()
  readonly #functions = new Map<number, AstFunction>()
  /** By file, in the order of their starts. */
  readonly #byFile = new Map<number, AstFunction[]>()
  readonly #byContract = new Map<number, AstFunction[]>()
  #count = 0

  /** @param trees the `ast` of each source */
  constructor(trees: Iterable<unknown>) {
    for (const tree of trees) for (const node of nodesOf(nodeOf(tree)?.['nodes'])) this.#add(node, undefined)
    for (const list of this.#byFile.values()) list.sort((a, b) => a.range.start - b.range.start)
  }

  contract(id: number): AstContract | undefined {
    return this.#contracts.get(id)
  }

  /** @param file number of the source; undefined: any */
  contractNamed(name: string, file: number | undefined): AstContract | undefined {
    for (const each of this.#contracts.values()) {
      if (each.name === name && (file === undefined || each.range.file === file)) return each
    }
    return undefined
  }

  /** A struct, an enum, a user-defined value type or a contract. */
  typeDefinition(id: number): AstNode | undefined {
    return this.#types.get(id)
  }

  /** A state variable, or a constant of a file. */
  variable(id: number): AstVariable | undefined {
    return this.#variables.get(id)
  }

  function(id: number): AstFunction | undefined {
    return this.#functions.get(id)
  }

  /** The function or modifier around a range. */
  functionAround(range: AstRange): AstFunction | undefined {
    const list = this.#byFile.get(range.file) ?? []
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((list[middle] as AstFunction).range.start <= range.start) low = middle + 1
      else high = middle
    }
    // Functions do not overlap, unless the tree lies.
    return list.slice(Math.max(0, low - MAX_OVERLAPS), low).findLast((each) => isWithin(range, each.range))
  }

  /** The functions and modifiers of a contract, without those of its bases. */
  functionsOf(contract: number): readonly AstFunction[] {
    return this.#byContract.get(contract) ?? []
  }

  #add(node: AstNode, contract: number | undefined): void {
    if (++this.#count > MAX_DEFINITIONS) return
    const kind = textIn(node, 'nodeType')
    if (TYPE_DEFINITIONS.has(kind)) this.#types.set(idIn(node), node)
    if (kind === 'ContractDefinition' && contract === undefined) this.#addContract(node)
    else if (kind === 'VariableDeclaration') this.#addVariable(node)
    else if (kind === 'FunctionDefinition' || kind === 'ModifierDefinition') this.#addFunction(node, contract)
  }

  #addContract(node: AstNode): void {
    const id = idIn(node)
    const members = nodesOf(node['nodes'])
    for (const member of members) this.#add(member, id)
    const bases = node['linearizedBaseContracts']
    this.#contracts.set(id, {
      id,
      name: plainText(textIn(node, 'name'), MAX_NAME_LENGTH),
      isLibrary: textIn(node, 'contractKind') === 'library',
      range: rangeOf(node),
      linearized: Array.isArray(bases) ? bases.filter(Number.isSafeInteger).slice(0, MAX_BASES) : [id],
      variables: members.flatMap((member) => this.#variables.get(idIn(member)) ?? []),
      baseSlot: nodeOf(nodeOf(node['storageLayout'])?.['baseSlotExpression']),
    })
  }

  #addVariable(node: AstNode): void {
    this.#variables.set(idIn(node), readVariable(node))
  }

  #addFunction(node: AstNode, contract: number | undefined): void {
    const found = readFunction(node, contract)
    this.#functions.set(found.id, found)
    addTo(this.#byFile, found.range.file, found)
    if (contract !== undefined) addTo(this.#byContract, contract, found)
  }
}

function addTo(lists: Map<number, AstFunction[]>, key: number, fn: AstFunction): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [fn])
  else list.push(fn)
}
