/**
 * The table of types in a `storageLayout`.
 * @module
 */
import { plainText } from '../plainText.ts'
import { type AstNode, nodeOf, nodesOf, textIn } from './astNodes.ts'
import { elementary } from './astTypes.ts'
import { lazyShape, type SolidityType, type StructMember, WORD } from './solidityType.ts'

const MAX_LABEL = 120
const MAX_MEMBERS = 1_024
const MAX_DEPTH = 32
const LAST_SLOT = (1n << 256n) - 1n

export class CompilerTypes {
  readonly #types: AstNode
  readonly #structs = new Map<string, SolidityType>()

  constructor(types: AstNode) {
    this.#types = types
  }

  /** @throws {RangeError} for an entry that is not complete */
  member(entry: unknown): StructMember {
    const node = nodeOf(entry)
    const offset = node?.['offset']
    if (typeof offset !== 'number' || !Number.isInteger(offset) || offset < 0 || offset >= WORD) {
      throw new RangeError('an offset is outside its slot')
    }
    const name = plainText(textIn(node, 'label'), MAX_LABEL)
    return { name, type: this.#type(textIn(node, 'type'), 0), slot: decimal(textIn(node, 'slot')), offset }
  }

  #type(id: string, depth: number): SolidityType {
    const known = this.#structs.get(id)
    if (known !== undefined) return known
    const node = Object.hasOwn(this.#types, id) ? nodeOf(this.#types[id]) : undefined
    if (node === undefined || depth > MAX_DEPTH) throw new RangeError('a type is not described')
    const label = plainText(textIn(node, 'label').replace(/^(?:struct|enum|contract) /, ''), MAX_LABEL)
    const kind = /^t_[a-zA-Z]+/.exec(id)?.[0] ?? ''
    switch (textIn(node, 'encoding')) {
      case 'mapping':
        return {
          kind: 'mapping',
          key: this.#type(textIn(node, 'key'), depth + 1),
          value: this.#type(textIn(node, 'value'), depth + 1),
          label,
        }
      case 'bytes':
        return { kind: kind === 't_string' ? 'string' : 'bytes', label }
      case 'dynamic_array':
        return { kind: 'array', item: this.#type(textIn(node, 'base'), depth + 1), length: undefined, label }
      default:
        return this.#inPlace(id, node, label, depth)
    }
  }

  #inPlace(id: string, node: AstNode, label: string, depth: number): SolidityType {
    if (node['base'] !== undefined) {
      const [, length] = /\[(\d{1,78})\]$/.exec(textIn(node, 'label')) ?? []
      if (length === undefined) throw new RangeError('the length of an array is not known')
      return { kind: 'array', item: this.#type(textIn(node, 'base'), depth + 1), length: BigInt(length), label }
    }
    const size = decimal(textIn(node, 'numberOfBytes'))
    if (node['members'] !== undefined) return this.#struct(id, nodesOf(node['members']), size, label)
    return smallType(id, label, size)
  }

  #struct(id: string, members: readonly AstNode[], size: bigint, label: string): SolidityType {
    const shape = lazyShape(() => ({
      members: members.slice(0, MAX_MEMBERS).map((each) => this.member(each)),
      slots: (size + BigInt(WORD) - 1n) / BigInt(WORD),
    }))
    const struct: SolidityType = { kind: 'struct', members: shape, label }
    this.#structs.set(id, struct)
    return struct
  }
}

function smallType(id: string, label: string, bytes: bigint): SolidityType {
  if (bytes < 1n || bytes > BigInt(WORD)) throw new RangeError('a value does not fit its slot')
  const size = Number(bytes)
  if (id.startsWith('t_enum')) return { kind: 'enum', size, names: [], label }
  if (id.startsWith('t_contract')) return { kind: 'address', label }
  if (id.startsWith('t_function')) return { kind: 'function', isExternal: id.startsWith('t_function_external'), label }
  const type = id.startsWith('t_userDefinedValueType') ? undefined : elementary(label)
  // Only the syntax tree tells the type behind a user-defined type.
  return type ?? { kind: 'opaque', size, label }
}

function decimal(text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) throw new RangeError('a slot or a size is not a number')
  return BigInt(text) & LAST_SLOT
}
