/**
 * The conditions of debug_findStep that are about sources and variables.
 * @module
 */

import type { DebugKnowledge } from '../../../../abi/debug/debugContract.ts'
import { SourceCondition, type SourceWhere } from '../../../../abi/debug/sourceCondition.ts'
import { VariableCondition } from '../../../../abi/debug/variableCondition.ts'
import { searchOrigin } from '../../../../api/contracts/debugMoment.ts'
import { unexpectedValue } from '../../../../api/errors.ts'
import { MAX_SEARCHED_NAME_LENGTH } from '../../../../base/limits/limits.ts'
import { described } from '../../../../base/primitives/printable.ts'
import type { StepCondition } from '../../../../tracing/steps/contract.ts'
import { boolean } from '../../../codecs/scalars.ts'
import { asObject, isObject, type JsonObject, member, parameterCodec } from '../../../codecs/support.ts'
import type { Codec } from '../../../method.ts'
import type { StepSearchContext, WhereMember } from './where.ts'

/** The members of `where` that need sources. */
export interface SourceMembers extends SourceWhere {
  /** A step writes this state variable. */
  readonly variable?: string | undefined
}

const text: Codec<string> = parameterCodec({ type: 'string', maxLength: MAX_SEARCHED_NAME_LENGTH }, (value) => {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_SEARCHED_NAME_LENGTH) return value
  throw unexpectedValue(`a text of 1 to ${MAX_SEARCHED_NAME_LENGTH} characters`, described(value))
})

const count: Codec<number> = parameterCodec({ type: 'integer', minimum: 0 }, (value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw unexpectedValue('an integer that is not negative', described(value))
})

const line: Codec<NonNullable<SourceWhere['line']>> = parameterCodec(
  { type: 'object', required: ['source', 'line'], properties: { source: text.schema, line: count.schema } },
  (value) => {
    const fields = asObject(value, 'line')
    const source = member(fields, 'source', text)
    const number = member(fields, 'line', count)
    if (source === undefined || number === undefined)
      throw unexpectedValue('an object with source and line', described(value))
    return { source, line: number }
  },
)

const MEMBERS = {
  line,
  newLine: boolean,
  function: text,
  sameFunction: boolean,
  maxFunctionDepth: count,
  variable: text,
} as const satisfies Record<keyof SourceMembers, Codec<unknown>>

/** For the table of all members; their condition is made by {@link sourceConditions}. */
export const SOURCE_MEMBERS: readonly WhereMember[] = Object.entries(MEMBERS).map(([name, codec]) => ({
  name,
  schema: codec.schema,
  parse: (value) => {
    codec.parse(value)
    return () => undefined
  },
}))

/** @param where as it was sent */
export function needsSources(where: unknown): where is JsonObject {
  return isObject(where) && Object.keys(MEMBERS).some((name) => (where[name] ?? undefined) !== undefined)
}

/** @param where as it was sent @returns undefined when no member needs sources */
export function sourceMembers(where: unknown): SourceMembers | undefined {
  if (!needsSources(where)) return undefined
  return {
    line: member(where, 'line', line),
    newLine: member(where, 'newLine', boolean),
    function: member(where, 'function', text),
    sameFunction: member(where, 'sameFunction', boolean),
    maxFunctionDepth: member(where, 'maxFunctionDepth', count),
    variable: member(where, 'variable', text),
  }
}

export async function sourceConditions(
  members: SourceMembers,
  { run, from }: StepSearchContext,
  knowledge: DebugKnowledge,
): Promise<StepCondition[]> {
  const { variable, ...where } = members
  const written = variable === undefined ? [] : [new VariableCondition(knowledge, variable)]
  if (Object.values(where).every((value) => value === undefined || value === false)) return written
  const needsOrigin = where.newLine === true || where.sameFunction === true
  const origin = from === undefined || !needsOrigin ? undefined : await searchOrigin(run, from, knowledge)
  return [new SourceCondition(knowledge, where, origin), ...written]
}
