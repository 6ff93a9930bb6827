/**
 * Where the legacy code generator keeps the variables of a function on the stack: parameters, results, then for each
 * modifier its parameters and variables, and the variables of the body in the order of their declarations.
 *
 * The rules are those of `ContractCompiler` in solc. Places that do not follow from the syntax tree are left out.
 * @module
 */

import type { AstFunction, AstLocal } from '../layout/astFunction.ts'
import type { AstContract } from '../layout/astIndex.ts'
import { type AstRange, isWithin } from '../layout/astNodes.ts'
import type { AstVariable } from '../layout/astVariable.ts'
import { type SolidityType, stackWords } from '../layout/solidityType.ts'
import type { LayoutTrees } from '../layout/storageLayout.ts'

export interface PlacedVariable {
  readonly variable: AstVariable
  readonly type: SolidityType
  readonly role: 'parameter' | 'result' | 'local'
  /** Number of words from the first parameter. */
  readonly position: number
  readonly words: number
}

export interface StackContext {
  readonly trees: LayoutTrees
  /** The contract that was compiled, in which modifiers are overridden. */
  readonly contract: AstContract | undefined
}

interface Group {
  readonly variables: readonly AstVariable[]
  readonly role: PlacedVariable['role']
}

/**
 * @param range of the running instruction; undefined at the entry of the function
 * @returns the variables that certainly have their values
 */
export function placedVariables(fn: AstFunction, range: AstRange | undefined, context: StackContext): PlacedVariable[] {
  const placed: PlacedVariable[] = []
  let position = 0
  for (const { variables, role } of groupsAt(fn, range, context)) {
    for (const variable of variables) {
      const type = context.trees.types.of(variable)
      // Without its type, the place of what follows is not known.
      if (type === undefined) return placed
      const words = stackWords(type, variable.location)
      placed.push({ variable, type, role, position, words })
      position += words
    }
  }
  return placed
}

/** Words of the parameters; undefined when a type is not known. */
export function parameterWords(fn: AstFunction, { types }: LayoutTrees): number | undefined {
  let words = 0
  for (const variable of fn.parameters) {
    const type = types.of(variable)
    if (type === undefined) return undefined
    words += stackWords(type, variable.location)
  }
  return words
}

function groupsAt(fn: AstFunction, range: AstRange | undefined, context: StackContext): Group[] {
  const parameters: Group = { variables: fn.parameters, role: 'parameter' }
  const results: Group = { variables: fn.results, role: 'result' }
  if (range === undefined || fn.results.some((each) => isWithin(range, each.range))) return [parameters]
  if (fn.modifiers.some((each) => isWithin(range, each.range))) return [parameters, results]
  const inner = innerGroups(fn, range, context)
  // Behind the body, the results are moved to the place of the parameters.
  return inner === undefined ? [] : [parameters, results, ...inner]
}

/** The variables of modifiers and of the body; undefined outside of both. */
function innerGroups(fn: AstFunction, range: AstRange, context: StackContext): Group[] | undefined {
  const modifiers = modifiersOf(fn, context)
  const isInBody = fn.body !== undefined && isWithin(range, fn.body)
  if (modifiers === undefined) return isInBody ? [] : undefined
  const current = modifiers.filter((each) => each.body !== undefined && isWithin(range, each.body))
  if (!isInBody && current.length !== 1) return undefined
  const groups: Group[] = []
  for (const modifier of modifiers) {
    groups.push({ variables: modifier.parameters, role: 'local' })
    if (modifier === current[0] && !isInBody) return [...groups, locals(modifier, range)]
    const passed = localsAtPlaceholder(modifier)
    if (passed === undefined) return []
    groups.push(passed)
  }
  return fn.isComplete ? [...groups, locals(fn, range)] : groups
}

/** In the order of their calls; undefined when one is not known, or is called twice. */
function modifiersOf(fn: AstFunction, { trees, contract }: StackContext): AstFunction[] | undefined {
  const found: AstFunction[] = []
  for (const { definition, isQualified } of fn.modifiers) {
    // The constructor of a base contract is called before.
    if (fn.kind === 'constructor' && trees.index.contract(definition) !== undefined) continue
    const named = trees.index.function(definition)
    const modifier = named && (isQualified ? named : overriding(named, { trees, contract }))
    if (modifier?.kind !== 'modifier' || found.includes(modifier) || !modifier.isComplete) return undefined
    found.push(modifier)
  }
  return found
}

function overriding(modifier: AstFunction, { trees, contract }: StackContext): AstFunction {
  const bases = contract?.linearized ?? []
  if (modifier.contract === undefined || !bases.includes(modifier.contract)) return modifier
  for (const base of bases) {
    const own = trees.index.functionsOf(base).find((each) => each.kind === 'modifier' && each.name === modifier.name)
    if (own !== undefined) return own
  }
  return modifier
}

function locals(fn: AstFunction, range: AstRange): Group {
  return { variables: fn.locals.filter((local) => isLive(local, range)).map((local) => local.variable), role: 'local' }
}

/** undefined when the places of `_` differ in their variables. */
function localsAtPlaceholder(modifier: AstFunction): Group | undefined {
  const [first, ...others] = modifier.placeholders.map((place) => locals(modifier, place).variables)
  if (first === undefined) return undefined
  const isSame = others.every(
    (each) => each.length === first.length && each.every((variable, i) => variable === first[i]),
  )
  return isSame ? { variables: first, role: 'local' } : undefined
}

function isLive({ scope, liveFrom }: AstLocal, range: AstRange): boolean {
  return isWithin(range, scope) && range.start >= liveFrom
}
