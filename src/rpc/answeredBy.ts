/**
 * Which process answers a request, where several serve one chain.
 * @module
 */
import type { AnsweredBy, ApiGroup, MethodDefinition } from './method.ts'

/** Groups whose methods all have the same place. A definition may say otherwise. */
const GROUPS: ReadonlyMap<ApiGroup, AnsweredBy> = new Map([
  ['ADMIN', 'main'],
  ['DEV', 'main'],
  ['EEA', 'main'],
  ['ISONODE', 'main'],
  ['MINER', 'main'],
  ['NET', 'main'],
  ['OTS', 'any'],
  ['PERM', 'main'],
  ['PLUGINS', 'main'],
  ['PRIV', 'main'],
  ['TRACE', 'any'],
  ['TXPOOL', 'main'],
  ['WEB3', 'any'],
])

type Placed = Pick<MethodDefinition, 'group' | 'answeredBy'>

/** @returns undefined when neither the definition nor its group says it */
export function placeOf({ group, answeredBy }: Placed, params: readonly unknown[]): AnsweredBy | undefined {
  if (typeof answeredBy === 'function') return answeredBy(params)
  return answeredBy ?? (group === undefined ? 'any' : GROUPS.get(group))
}

/**
 * The process that answers a request. Only the process that writes has a pending block and waiting transactions.
 * @param params as they were sent
 */
export function answeringProcess(definition: Placed, params: readonly unknown[]): AnsweredBy {
  if (params.some(namesPending)) return 'main'
  return placeOf(definition, params) ?? 'main'
}

/** A block parameter, or the member of an object of criteria. */
function namesPending(param: unknown): boolean {
  if (param === 'pending') return true
  if (typeof param !== 'object' || param === null) return false
  for (const member of Object.values(param)) if (member === 'pending') return true
  return false
}
