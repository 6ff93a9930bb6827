/**
 * Where the state variables of a contract are: from the compiler's `storageLayout`, else computed from the syntax tree.
 * @module
 */
import type { AstContract, AstIndex } from './astIndex.ts'
import { type AstNode, idIn, nodeOf, textIn, typeStringOf } from './astNodes.ts'
import type { AstTypes } from './astTypes.ts'
import type { AstVariable } from './astVariable.ts'
import { CompilerTypes } from './compilerTypes.ts'
import { placeMembers, type SolidityType, type StructMember } from './solidityType.ts'

export interface StorageLayout {
  readonly variables: readonly StructMember[]
  /** In transient storage (EIP-1153), whose slots are separate. */
  readonly transient: readonly StructMember[]
}

/** `storageLayout` and `transientStorageLayout` as the compiler writes them. */
export interface CompilerLayout {
  readonly storage: unknown
  readonly transient: unknown
}

/** The syntax trees of the compilation, if they are known. */
export interface LayoutTrees {
  readonly index: AstIndex
  readonly types: AstTypes
}

const MAX_VARIABLES = 4_096
const MAX_CONSTANT_DEPTH = 8
const MAX_EXPONENT = 78
const LAST_SLOT = (1n << 256n) - 1n

/**
 * @param written by the compiler
 * @returns undefined when it is not written in the known form
 */
export function readLayout(written: CompilerLayout, trees: LayoutTrees | undefined): StorageLayout | undefined {
  try {
    const variables = variablesIn(written.storage, trees)
    return variables && { variables, transient: variablesIn(written.transient, trees) ?? [] }
  } catch (error) {
    return undefinedFor(error)
  }
}

function variablesIn(written: unknown, trees: LayoutTrees | undefined): StructMember[] | undefined {
  const storage = nodeOf(written)?.['storage']
  if (!Array.isArray(storage)) return undefined
  const types = new CompilerTypes(nodeOf(nodeOf(written)?.['types']) ?? {})
  return storage.slice(0, MAX_VARIABLES).map((entry) => {
    const member = types.member(entry)
    const declared = trees?.index.variable(idIn(nodeOf(entry), 'astId'))
    // The tree also has the names of enums and the types behind user-defined ones.
    const type = declared?.name === member.name ? trees?.types.of(declared) : undefined
    return type === undefined ? member : { ...member, type }
  })
}

/** @returns undefined when a part of it is not known */
export function computeLayout(contract: AstContract, { index, types }: LayoutTrees): StorageLayout | undefined {
  try {
    const variables = stateVariables(contract, index)
    const typed = (place: AstVariable['place']): { name: string; type: SolidityType }[] =>
      variables.filter((each) => each.place === place).map((each) => ({ name: each.name, type: known(types.of(each)) }))
    const first = contract.baseSlot === undefined ? 0n : known(constantValue(contract.baseSlot, index, 0))
    return {
      variables: placeMembers(typed('storage'), first & LAST_SLOT).members,
      transient: placeMembers(typed('transient')).members,
    }
  } catch (error) {
    return undefinedFor(error)
  }
}

/** The most basic contract first. */
function stateVariables({ linearized }: AstContract, index: AstIndex): AstVariable[] {
  const variables = [...linearized].reverse().flatMap((id) => known(index.contract(id)).variables)
  if (variables.length > MAX_VARIABLES) throw new RangeError('too many state variables')
  return variables
}

/** The value of a constant expression; undefined if it is more than a number, a name or a sum. */
function constantValue(node: AstNode | undefined, index: AstIndex, depth: number): bigint | undefined {
  if (node === undefined || depth > MAX_CONSTANT_DEPTH) return undefined
  const [, digits] = /^int_const (\d{1,78})$/.exec(typeStringOf(node)) ?? []
  if (digits !== undefined) return BigInt(digits)
  switch (textIn(node, 'nodeType')) {
    case 'Literal':
      return literalValue(textIn(node, 'value'))
    case 'Identifier':
    case 'MemberAccess':
      return constantValue(index.variable(idIn(node, 'referencedDeclaration'))?.value, index, depth + 1)
    case 'BinaryOperation':
      return binaryValue(node, index, depth)
    default:
      return undefined
  }
}

function binaryValue(node: AstNode, index: AstIndex, depth: number): bigint | undefined {
  const left = constantValue(nodeOf(node['leftExpression']), index, depth + 1)
  const right = constantValue(nodeOf(node['rightExpression']), index, depth + 1)
  if (left === undefined || right === undefined) return undefined
  switch (textIn(node, 'operator')) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    default:
      return undefined
  }
}

function literalValue(text: string): bigint | undefined {
  const digits = text.replaceAll('_', '')
  if (/^0x[0-9a-f]{1,64}$/i.test(digits)) return BigInt(digits)
  const [, mantissa, exponent = '0'] = /^(\d{1,78})(?:e(\d{1,2}))?$/i.exec(digits) ?? []
  if (mantissa === undefined || Number(exponent) > MAX_EXPONENT) return undefined
  return BigInt(mantissa) * 10n ** BigInt(exponent)
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('a part of the layout is not known')
  return value
}

/** A layout that cannot be is not known; other errors are faults of this program. */
function undefinedFor(error: unknown): undefined {
  if (error instanceof RangeError) return undefined
  throw error
}
