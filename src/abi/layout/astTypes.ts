/**
 * Types of variables from the syntax tree.
 * @module
 */
import { elementaryType } from '../abiType.ts'
import { plainText } from '../plainText.ts'
import type { AstIndex } from './astIndex.ts'
import { type AstNode, idIn, nodeOf, nodesOf, textIn, typeStringOf } from './astNodes.ts'
import type { AstVariable } from './astVariable.ts'
import { lazyShape, placeMembers, type SolidityType } from './solidityType.ts'

const MAX_LABEL = 120
const MAX_MEMBERS = 1_024
const MAX_DEPTH = 32
const ENUM_SIZE_LIMIT = 256
/** Sources before 0.8 may have larger enums, which take two bytes. */
const LARGE_ENUM_BYTES = 2

export class AstTypes {
  readonly #index: AstIndex
  readonly #structs = new Map<number, SolidityType>()

  constructor(index: AstIndex) {
    this.#index = index
  }

  /** @returns undefined for a type that is not known */
  of({ typeName }: AstVariable): SolidityType | undefined {
    return this.#named(typeName, 0)
  }

  #named(node: AstNode | undefined, depth: number): SolidityType | undefined {
    if (node === undefined || depth > MAX_DEPTH) return undefined
    switch (textIn(node, 'nodeType')) {
      case 'ElementaryTypeName':
        return elementary(textIn(node, 'name'))
      case 'UserDefinedTypeName':
        return this.#defined(idIn(node, 'referencedDeclaration'), depth)
      case 'ArrayTypeName':
        return this.#array(node, depth)
      case 'Mapping':
        return this.#mapping(node, depth)
      case 'FunctionTypeName': {
        const isExternal = textIn(node, 'visibility') === 'external'
        return { kind: 'function', isExternal, label: plainText(typeStringOf(node), MAX_LABEL) }
      }
      default:
        return undefined
    }
  }

  #array(node: AstNode, depth: number): SolidityType | undefined {
    const item = this.#named(nodeOf(node['baseType']), depth + 1)
    if (item === undefined) return undefined
    if (nodeOf(node['length']) === undefined)
      return { kind: 'array', item, length: undefined, label: `${item.label}[]` }
    // The compiler has evaluated the length.
    const [, digits] = /\[(\d{1,78})\](?: (?:storage|memory|calldata).*)?$/.exec(typeStringOf(node)) ?? []
    if (digits === undefined) return undefined
    return { kind: 'array', item, length: BigInt(digits), label: `${item.label}[${digits}]` }
  }

  #mapping(node: AstNode, depth: number): SolidityType | undefined {
    const key = this.#named(nodeOf(node['keyType']), depth + 1)
    const value = this.#named(nodeOf(node['valueType']), depth + 1)
    if (key === undefined || value === undefined) return undefined
    return { kind: 'mapping', key, value, label: plainText(`mapping(${key.label} => ${value.label})`, MAX_LABEL) }
  }

  #defined(id: number, depth: number): SolidityType | undefined {
    const node = this.#index.typeDefinition(id)
    const label = plainText(textIn(node, 'canonicalName') || textIn(node, 'name'), MAX_LABEL)
    switch (textIn(node, 'nodeType')) {
      case 'ContractDefinition':
        return { kind: 'address', label }
      case 'EnumDefinition':
        return enumType(nodesOf(node?.['members']), label)
      case 'UserDefinedValueTypeDefinition': {
        const underlying = this.#named(nodeOf(node?.['underlyingType']), depth + 1)
        return underlying && { ...underlying, label }
      }
      case 'StructDefinition':
        return this.#struct(id, nodesOf(node?.['members']), label)
      default:
        return undefined
    }
  }

  #struct(id: number, nodes: readonly AstNode[], label: string): SolidityType {
    const known = this.#structs.get(id)
    if (known !== undefined) return known
    const members = lazyShape(() => {
      const named = nodes.slice(0, MAX_MEMBERS).map((node) => {
        const type = this.#named(nodeOf(node['typeName']), 0)
        if (type === undefined) throw new RangeError('a member of the struct has an unknown type')
        return { name: plainText(textIn(node, 'name'), MAX_LABEL), type }
      })
      return placeMembers(named)
    })
    const struct: SolidityType = { kind: 'struct', members, label }
    this.#structs.set(id, struct)
    return struct
  }
}

/** @param name such as `uint256` or `address payable` */
export function elementary(name: string): SolidityType | undefined {
  if (name === 'byte') return { kind: 'fixedBytes', length: 1, label: 'bytes1' }
  const type = elementaryType(name.replace(/ payable$/, ''))
  switch (type?.kind) {
    case 'uint':
    case 'int':
      return { ...type, label: `${type.kind}${type.bits}` }
    case 'fixedBytes':
      return name === 'function' ? undefined : { ...type, label: name }
    case 'bool':
    case 'address':
    case 'bytes':
    case 'string':
      return { kind: type.kind, label: type.kind }
    default:
      return undefined
  }
}

function enumType(members: readonly AstNode[], label: string): SolidityType {
  const names = members.slice(0, MAX_MEMBERS).map((member) => plainText(textIn(member, 'name'), MAX_LABEL))
  return { kind: 'enum', size: members.length <= ENUM_SIZE_LIMIT ? 1 : LARGE_ENUM_BYTES, names, label }
}
