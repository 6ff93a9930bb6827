import { plainText } from '../plainText.ts'
import { type AstNode, type AstRange, idIn, nodeOf, rangeOf, textIn, typeStringOf } from './astNodes.ts'
import type { DataLocation } from './solidityType.ts'

/** A declared variable. */
export interface AstVariable {
  readonly id: number
  /** Empty for an unnamed parameter. */
  readonly name: string
  readonly range: AstRange
  /** Node of the type's name. */
  readonly typeName: AstNode | undefined
  /** The compiler's name of the type, cut. */
  readonly typeText: string
  readonly location: DataLocation
  /** `storage`: a state variable; `code`: a constant or an immutable variable. */
  readonly place: 'storage' | 'transient' | 'code'
  /** The expression of a constant. */
  readonly value: AstNode | undefined
}

const MAX_NAME_LENGTH = 120

export function readVariable(node: AstNode): AstVariable {
  const location = textIn(node, 'storageLocation')
  const mutability = textIn(node, 'mutability')
  const isInCode = node['constant'] === true || mutability === 'constant' || mutability === 'immutable'
  return {
    id: idIn(node),
    name: plainText(textIn(node, 'name'), MAX_NAME_LENGTH),
    range: rangeOf(node),
    typeName: nodeOf(node['typeName']),
    typeText: plainText(typeStringOf(node), MAX_NAME_LENGTH),
    location: location === 'memory' || location === 'calldata' || location === 'storage' ? location : 'default',
    place: isInCode ? 'code' : location === 'transient' ? 'transient' : 'storage',
    value: nodeOf(node['value']),
  }
}
