/**
 * Functions and modifiers with their local variables.
 * @module
 */
import { plainText } from '../plainText.ts'
import { type AstNode, type AstRange, idIn, nodeOf, nodesOf, rangeOf, textIn } from './astNodes.ts'
import { type AstVariable, readVariable } from './astVariable.ts'

export type FunctionKind = 'function' | 'constructor' | 'fallback' | 'receive' | 'freeFunction' | 'modifier'

/** A variable of a body, in the order of the declarations. */
export interface AstLocal {
  readonly variable: AstVariable
  /** Where the variable has a slot on the stack. */
  readonly scope: AstRange
  /** Offset from which it has its value, the end of its declaration. */
  readonly liveFrom: number
}

export interface AstModifierCall {
  /** Identifier of a modifier, or of the base contract whose constructor is called. */
  readonly definition: number
  /** Whether it is named with its contract, so that overrides do not matter. */
  readonly isQualified: boolean
  readonly range: AstRange
}

export interface AstFunction {
  readonly id: number
  readonly kind: FunctionKind
  /** Empty for constructors and the functions without a name. */
  readonly name: string
  readonly range: AstRange
  /** Identifier; undefined for a function of the file. */
  readonly contract: number | undefined
  readonly parameters: readonly AstVariable[]
  readonly results: readonly AstVariable[]
  readonly modifiers: readonly AstModifierCall[]
  readonly body: AstRange | undefined
  readonly locals: readonly AstLocal[]
  /** Places of `_` in a modifier. */
  readonly placeholders: readonly AstRange[]
  /** Whether `locals` has all of them. */
  readonly isComplete: boolean
  /** As in the ABI, hex without prefix; empty for internal functions. */
  readonly selector: string
}

const MAX_STATEMENTS = 20_000
const MAX_DEPTH = 256
const MAX_VARIABLES = 256
const MAX_NAME_LENGTH = 120
const KINDS: readonly string[] = ['function', 'constructor', 'fallback', 'receive', 'freeFunction']

export function readFunction(node: AstNode, contract: number | undefined): AstFunction {
  const isModifier = textIn(node, 'nodeType') === 'ModifierDefinition'
  const kind = textIn(node, 'kind')
  const body = nodeOf(node['body'])
  const reader = new BodyReader()
  if (body !== undefined) reader.block(body)
  return {
    id: idIn(node),
    kind: isModifier ? 'modifier' : KINDS.includes(kind) ? (kind as FunctionKind) : 'function',
    name: plainText(textIn(node, 'name'), MAX_NAME_LENGTH),
    range: rangeOf(node),
    contract,
    parameters: parametersIn(node, 'parameters'),
    results: parametersIn(node, 'returnParameters'),
    modifiers: nodesOf(node['modifiers']).slice(0, MAX_VARIABLES).map(modifierCall),
    body: body && rangeOf(body),
    locals: reader.locals,
    placeholders: reader.placeholders,
    isComplete: reader.isComplete,
    selector: textIn(node, 'functionSelector').slice(0, 8),
  }
}

function parametersIn(node: AstNode, key: string): AstVariable[] {
  return nodesOf(nodeOf(node[key])?.['parameters']).slice(0, MAX_VARIABLES).map(readVariable)
}

function modifierCall(node: AstNode): AstModifierCall {
  const name = nodeOf(node['modifierName'])
  const isQualified = textIn(name, 'name').includes('.') || textIn(name, 'nodeType') === 'MemberAccess'
  return { definition: idIn(name, 'referencedDeclaration'), isQualified, range: rangeOf(node) }
}

class BodyReader {
  readonly locals: AstLocal[] = []
  readonly placeholders: AstRange[] = []
  isComplete = true
  #statements = 0
  #depth = 0

  block(node: AstNode): void {
    const scope = rangeOf(node)
    for (const statement of nodesOf(node['statements'])) this.#statement(statement, scope)
  }

  #statement(node: AstNode | undefined, scope: AstRange): void {
    if (node === undefined) return
    if (++this.#statements > MAX_STATEMENTS || this.#depth >= MAX_DEPTH) {
      this.isComplete = false
      return
    }
    this.#depth++
    this.#parts(node, scope)
    this.#depth--
  }

  #parts(node: AstNode, scope: AstRange): void {
    switch (textIn(node, 'nodeType')) {
      case 'Block':
      case 'UncheckedBlock':
        this.block(node)
        return
      case 'VariableDeclarationStatement':
        this.#declare(nodesOf(node['declarations']), scope, rangeOf(node).end)
        return
      case 'IfStatement':
        this.#statement(nodeOf(node['trueBody']), scope)
        this.#statement(nodeOf(node['falseBody']), scope)
        return
      case 'ForStatement':
        this.#statement(nodeOf(node['initializationExpression']), rangeOf(node))
        this.#statement(nodeOf(node['body']), rangeOf(node))
        return
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#statement(nodeOf(node['body']), scope)
        return
      case 'TryStatement':
        for (const clause of nodesOf(node['clauses'])) this.#clause(clause)
        return
      case 'PlaceholderStatement':
        this.placeholders.push(rangeOf(node))
    }
  }

  #clause(clause: AstNode): void {
    const block = nodeOf(clause['block'])
    const parameters = nodesOf(nodeOf(clause['parameters'])?.['parameters'])
    this.#declare(parameters, rangeOf(clause), rangeOf(block).start)
    this.#statement(block, rangeOf(clause))
  }

  #declare(variables: readonly AstNode[], scope: AstRange, liveFrom: number): void {
    for (const node of variables) {
      if (this.locals.length >= MAX_VARIABLES) this.isComplete = false
      else this.locals.push({ variable: readVariable(node), scope, liveFrom })
    }
  }
}
