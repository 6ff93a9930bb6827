/** Adds events to a Solidity source that tell the value of each variable before each statement. */

import type { AstFunction } from '../../../src/abi/layout/astFunction.ts'
import { AstIndex } from '../../../src/abi/layout/astIndex.ts'
import { type AstNode, nodeOf, nodesOf, rangeOf, textIn } from '../../../src/abi/layout/astNodes.ts'
import type { AstVariable } from '../../../src/abi/layout/astVariable.ts'

/** The value that an event reports. */
export interface Probe {
  readonly name: string
  readonly role: 'state' | 'parameter' | 'result' | 'local'
  /** Place of the statement. */
  readonly at: number
}

export interface Instrumented {
  readonly source: string
  readonly probes: readonly Probe[]
}

/** ASCII sources only. @param tree the syntax tree of the source */
export function instrument(source: string, tree: unknown): Instrumented {
  const index = new AstIndex([tree])
  const probes: Probe[] = []
  const insertions: { readonly at: number; readonly text: string }[] = []
  for (const contract of nodesOf(nodeOf(tree)?.['nodes'])) {
    if (textIn(contract, 'nodeType') !== 'ContractDefinition') continue
    const states = statesOf(contract, index)
    for (const node of nodesOf(contract['nodes'])) {
      const fn = index.function(node['id'] as number)
      if (fn === undefined || ['view', 'pure'].includes(textIn(node, 'stateMutability'))) continue
      const isLibrary = textIn(contract, 'contractKind') === 'library'
      for (const place of statementsIn(nodeOf(node['body']))) {
        const texts = visible(fn, isLibrary ? [] : states, place).map(({ name, role }) => {
          probes.push({ name, role, at: place })
          return `emit Probe(${probes.length - 1}, abi.encode(${name})); `
        })
        insertions.push({ at: place, text: texts.join('') })
      }
    }
  }
  let text = source
  for (const { at, text: added } of insertions.sort((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + added + text.slice(at)
  }
  return { source: `${text}\nevent Probe(uint256 id, bytes value);\n`, probes }
}

function statesOf(contract: AstNode, index: AstIndex): AstVariable[] {
  const known = index.contract(contract['id'] as number)
  return (known?.linearized ?? []).flatMap((id) => index.contract(id)?.variables ?? []).filter(isEncodable)
}

function visible(fn: AstFunction, states: readonly AstVariable[], at: number): Pick<Probe, 'name' | 'role'>[] {
  const locals = fn.locals.filter(({ scope, liveFrom }) => scope.start <= at && at < scope.end && liveFrom <= at)
  const probe = (role: Probe['role']) => (variable: AstVariable) => ({ name: variable.name, role, variable })
  const all = [
    ...fn.parameters.map(probe('parameter')),
    ...fn.results.map(probe('result')),
    ...locals.map(({ variable }) => variable).map(probe('local')),
    ...states.filter(({ place }) => place !== 'code').map(probe('state')),
  ]
  const names = all.map(({ name }) => name)
  return all.filter(
    ({ name, variable }) => name !== '' && isEncodable(variable) && names.indexOf(name) === names.lastIndexOf(name),
  )
}

/** Mappings and internal functions have no encoding. */
function isEncodable({ typeName, typeText }: AstVariable): boolean {
  const text = JSON.stringify(typeName ?? {})
  return (
    !text.includes('mapping(') &&
    !/^function.*(?:internal|\))$/.test(typeText.replace(/ external.*$/, 'x')) &&
    !typeText.includes('Mapped')
  )
}

/** Places of the statements in blocks. */
function statementsIn(block: AstNode | undefined): number[] {
  const places: number[] = []
  const visit = (node: AstNode): void => {
    const kind = textIn(node, 'nodeType')
    if (kind === 'Block' || kind === 'UncheckedBlock') {
      for (const statement of nodesOf(node['statements'])) {
        places.push(rangeOf(statement).start)
        visit(statement)
      }
      return
    }
    for (const key of ['trueBody', 'falseBody', 'body', 'block']) {
      const child = nodeOf(node[key])
      if (child !== undefined) visit(child)
    }
    for (const clause of nodesOf(node['clauses'])) visit(clause)
  }
  if (block !== undefined) visit(block)
  return places
}
