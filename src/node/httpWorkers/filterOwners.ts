/**
 * Filters of several processes: the first byte of an id is the number of the worker that keeps the filter.
 * @module
 */
import type { Random } from '../../base/ports/random.ts'
import { isPromise } from '../../rpc/invoke.ts'
import type { Reply } from '../../rpc/reply.ts'
import type { RpcRequest } from '../../rpc/simpleRequest.ts'
import type { LinkAnswers, ProcessLink } from './processLink.ts'

const FILTER_METHODS: ReadonlySet<string> = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])
/** `0x`, the worker's number in two digits, and the other 15 bytes. */
const FILTER_ID = /^0x([0-9a-fA-F]{2})[0-9a-fA-F]{30}$/

/** Random bytes for the ids of a worker's filters. @param slot 16 to 255, so that its digits are always written */
export function filterRandom(random: Random, slot: number): Random {
  return {
    bytes: (length) => {
      const bytes = random.bytes(length)
      bytes[0] = slot
      return bytes
    },
  }
}

/** @returns the number of the worker that keeps the filter, if a worker does; undefined for other requests */
export function filterOwner({ method, params: [id] }: RpcRequest): number | undefined {
  if (!FILTER_METHODS.has(method) || typeof id !== 'string') return undefined
  const digits = FILTER_ID.exec(id)?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}

/**
 * Asks the worker that keeps a filter, when this process does not have it.
 * @param linkOf undefined: there is no such worker
 */
export function relayingFilters(
  own: LinkAnswers,
  linkOf: (slot: number) => Pick<ProcessLink, 'call'> | undefined,
): LinkAnswers {
  return {
    ...own,
    call: (request, caller, signal) => {
      const reply = own.call(request, caller, signal)
      const slot = filterOwner(request)
      const owner = slot === undefined ? undefined : linkOf(slot)
      if (owner === undefined) return reply
      const relay = async (settled: Reply): Promise<Reply> => {
        if (settled.error === undefined && !settled.body.endsWith(':false}')) return settled
        const { claims } = caller
        return owner.call({ request, claims, subscriber: undefined }, signal).catch(() => settled)
      }
      return isPromise(reply) ? reply.then(relay) : relay(reply)
    },
  }
}
