import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { rangeEnd } from '../../../api/lookup.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { PrivateLogQuery } from '../../../private/privacy/privateFilters.ts'
import type { PrivateLog } from '../../../private/privacy/privateLogs.ts'
import { filterId, NO_FILTER_ID } from '../../codecs/filterId.ts'
import { keyText, type PrivateFilterObject, privateFilter } from '../../codecs/privacy.ts'
import { log } from '../../codecs/receipt.ts'
import { boolean, uint } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { FILTER_ID, PRIVACY_GROUP, PRIVATE_FILTER } from '../support/parameterTexts.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf } from './backend.ts'
import { visibleGroup } from './groupParameter.ts'

interface Backend extends PrivacyBackend {
  readonly chain: ChainReader
}

export const getLogs: MethodDefinition<Backend> = defineMethod({
  name: 'priv_getLogs',
  group: 'PRIV',
  summary: 'Logs of private transactions of a group; without a range, of the whole chain.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('filter', privateFilter, PRIVATE_FILTER)],
  result: result('logs', arrayOf(log)),
  errors: [...PRIVATE_ERRORS, 'INTERNAL_ERROR'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, filter], context) => {
    const groupId = await visibleGroup(backend, group, context)
    return privacyOf(backend).reads.resident(() => search(backend, groupId, queryOf(backend.chain, filter), 0))
  },
})

/** `earliest` is a number; every other tag leaves the end of the range open. */
function queryOf(chain: ChainReader, { fromBlock, toBlock, ...rest }: PrivateFilterObject): PrivateLogQuery {
  return { ...rest, from: numberOf(chain, fromBlock), to: numberOf(chain, toBlock) }
}

function numberOf(chain: ChainReader, block: BlockNumberOrTag | undefined): number | undefined {
  if (block === undefined || (block.kind === 'tag' && (block.tag === 'latest' || block.tag === 'pending'))) {
    return undefined
  }
  return rangeEnd(chain, block)
}

/** @param openFrom first block of a range without beginning */
function search(
  backend: Backend,
  groupId: Uint8Array,
  { from, to, blockHash, ...terms }: PrivateLogQuery,
  openFrom: number,
): readonly PrivateLog[] {
  const { logs } = privacyOf(backend)
  if (blockHash === undefined) {
    return logs.inRange(groupId, from ?? openFrom, to ?? Number(backend.chain.head.header.number), terms)
  }
  const block = logs.header(blockHash)
  return block === undefined
    ? []
    : logs.inBlock(groupId, { number: Number(block.header.number), hash: blockHash }, terms)
}

export const newFilter: MethodDefinition<Backend> = defineMethod({
  name: 'priv_newFilter',
  group: 'PRIV',
  summary: 'Installs a filter that collects private logs of new blocks.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('filter', privateFilter, PRIVATE_FILTER)],
  result: result('id', uint),
  errors: [...PRIVATE_ERRORS, 'INTERNAL_ERROR', 'TOO_MANY_FILTERS'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, filter], context) => {
    const groupId = await visibleGroup(backend, group, context)
    return privacyOf(backend).filters.install(groupId, queryOf(backend.chain, filter))
  },
})

/** A tenant only reaches the filters of its groups; without tenants, the id alone counts. */
async function reachable(backend: Backend, group: string, id: bigint, context: RequestContext): Promise<bigint> {
  const { tenants, filters } = privacyOf(backend)
  if (!tenants.areSeparate) return id
  const groupId = await visibleGroup(backend, group, context)
  return filters.isOf(id, groupId) ? id : NO_FILTER_ID
}

export const getFilterChanges: MethodDefinition<Backend> = defineMethod({
  name: 'priv_getFilterChanges',
  group: 'PRIV',
  summary: 'Private logs that a filter has collected since the last poll.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('id', filterId, FILTER_ID)],
  result: result('logs', arrayOf(log)),
  errors: [...PRIVATE_ERRORS, 'FILTER_NOT_FOUND'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, id], context) => {
    const reachableGroup = await reachable(backend, group, id, context)
    const { reads, filters } = privacyOf(backend)
    return reads.resident(() => filters.changes(reachableGroup))
  },
})

export const getFilterLogs: MethodDefinition<Backend> = defineMethod({
  name: 'priv_getFilterLogs',
  group: 'PRIV',
  summary: 'All private logs of the block range of a filter.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('id', filterId, FILTER_ID)],
  result: result('logs', arrayOf(log)),
  errors: [...PRIVATE_ERRORS, 'LOGS_FILTER_NOT_FOUND'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, id], context) => {
    const { reads, filters } = privacyOf(backend)
    const { groupId, query } = filters.query(await reachable(backend, group, id, context))
    return reads.resident(() => search(backend, groupId, query, Number(backend.chain.head.header.number)))
  },
})

export const uninstallFilter: MethodDefinition<Backend> = defineMethod({
  name: 'priv_uninstallFilter',
  group: 'PRIV',
  summary: 'Removes a filter of private logs; false when it does not exist.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('id', filterId, FILTER_ID)],
  result: result('success', boolean),
  errors: PRIVATE_ERRORS,
  isServed: isPrivate,
  handler: async (backend: Backend, [group, id], context) =>
    privacyOf(backend).filters.uninstall(await reachable(backend, group, id, context)),
})
