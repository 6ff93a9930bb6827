import type { RemoteCall } from './call.ts'
import type { RemoteResult } from './contract.ts'
import { isBatchRefusal, isRateLimit, isTransient } from './refusals.ts'
import { allowedBatch } from './verdict.ts'
import type { Member } from './wire.ts'

/** The requests of one attempt, by what its answer says about them. */
export interface Outcomes {
  readonly answered: readonly (readonly [call: RemoteCall, result: RemoteResult])[]
  readonly limited: readonly RemoteCall[]
  /** The limit of rate, as the remote says it. */
  readonly limit: string
  /** Refused because the batch is too large. */
  readonly tooMany: readonly RemoteCall[]
  /** Size of a batch that the remote allows, if it says so. */
  readonly allowed: number | undefined
  /** The answer lacks them for the first time. */
  readonly missing: readonly RemoteCall[]
  readonly failed: ReadonlyMap<string, readonly RemoteCall[]>
}

/** @param members by id; the ids of the calls begin with `firstId` */
export function outcomesOf(
  calls: readonly RemoteCall[],
  members: ReadonlyMap<number, Member>,
  firstId: number,
): Outcomes {
  const answered: [RemoteCall, RemoteResult][] = []
  const limited: RemoteCall[] = []
  const tooMany: RemoteCall[] = []
  const missing: RemoteCall[] = []
  const failed = new Map<string, RemoteCall[]>()
  const fail = (call: RemoteCall, reason: string): void => {
    failed.set(reason, [...(failed.get(reason) ?? []), call])
  }
  let limit = ''
  let allowed: number | undefined
  calls.forEach((call, i) => {
    const member = members.get(firstId + i)
    if (member === undefined) {
      if (call.wasMissing) fail(call, 'the answer lacks a request')
      else missing.push(call)
      call.wasMissing = true
    } else if (member.kind === 'malformed') fail(call, 'an answer without result and error')
    else if (member.kind === 'result') answered.push([call, member])
    else if (isRateLimit(member.error)) {
      limited.push(call)
      limit = member.error.message
    } else if (calls.length > 1 && isBatchRefusal(member.error)) {
      tooMany.push(call)
      allowed = allowedBatch(member.error.message, calls.length)
    } else if (isTransient(member.error)) fail(call, member.error.message)
    else answered.push([call, member])
  })
  return { answered, limited, limit, tooMany, allowed, missing, failed }
}
