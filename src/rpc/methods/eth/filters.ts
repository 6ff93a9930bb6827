import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import type { FilterChanges, FilterRegistry } from '../../../api/feeds/filterRegistry.ts'
import { LogMatcher } from '../../../api/logMatcher.ts'
import type { LogScanBackend } from '../../../api/logScan.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { logFilter } from '../../codecs/filter.ts'
import { filterId } from '../../codecs/filterId.ts'
import { log, serializeLog } from '../../codecs/receipt.ts'
import { boolean, uint } from '../../codecs/scalars.ts'
import { HASH, LOG, listOf } from '../../codecs/schemas.ts'
import { answerCodec, arrayOf } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { FILTER_ID, LOG_FILTER } from '../support/parameterTexts.ts'
import { scannedLogs } from '../support/scannedLogs.ts'

interface Backend {
  readonly filters: FilterRegistry
}

interface ScanBackend extends Backend, LogScanBackend {
  readonly chain: ChainReader
}

const filterChanges: Codec<FilterChanges> = answerCodec(
  { title: 'FilterChanges', oneOf: [listOf(HASH), listOf(LOG)] },
  (changes) => (changes.kind === 'hashes' ? changes.hashes.map(bytesToHex) : changes.logs.map(serializeLog)),
)

export const newFilter: MethodDefinition<Backend> = defineMethod({
  name: 'eth_newFilter',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Installs a filter that collects logs of new blocks.',
  params: [param('filter', logFilter, LOG_FILTER)],
  result: result('id', uint),
  errors: ['TOO_MANY_FILTERS'],
  handler: ({ filters }: Backend, [filter]) => filters.installLogFilter(filter),
})

export const newBlockFilter: MethodDefinition<Backend> = defineMethod({
  name: 'eth_newBlockFilter',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Installs a filter that collects hashes of new blocks.',
  params: [],
  result: result('id', uint),
  errors: ['TOO_MANY_FILTERS'],
  handler: ({ filters }: Backend) => filters.installBlockFilter(),
})

export const newPendingTransactionFilter: MethodDefinition<Backend> = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Installs a filter that collects hashes of transactions that enter the pool.',
  params: [],
  result: result('id', uint),
  errors: ['TOO_MANY_FILTERS'],
  handler: ({ filters }: Backend) => filters.installPendingTransactionFilter(),
})

export const getFilterChanges: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getFilterChanges',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'Events that a filter has collected since the last poll.',
  params: [param('id', filterId, FILTER_ID)],
  result: result('changes', filterChanges),
  errors: ['FILTER_NOT_FOUND'],
  handler: ({ filters }: Backend, [id]) => filters.changes(id),
})

export const getFilterLogs: MethodDefinition<ScanBackend> = defineMethod({
  name: 'eth_getFilterLogs',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'All logs of the block range of a log filter.',
  params: [param('id', filterId, FILTER_ID)],
  result: result('logs', arrayOf(log)),
  errors: ['LOGS_FILTER_NOT_FOUND', 'RANGE_TOO_LARGE', 'TIMEOUT'],
  handler: (backend: ScanBackend, [id], context) => {
    const filter = backend.filters.logFilter(id)
    const from = blockNumber(backend.chain, filter.fromBlock)
    const to = blockNumber(backend.chain, filter.toBlock)
    return scannedLogs(backend, new LogMatcher(filter), { from, to }, context)
  },
})

export const uninstallFilter: MethodDefinition<Backend> = defineMethod({
  name: 'eth_uninstallFilter',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'Removes a filter; false when it does not exist.',
  params: [param('id', filterId, FILTER_ID)],
  result: result('success', boolean),
  handler: ({ filters }: Backend, [id]) => filters.uninstall(id),
})

/** Every tag but `earliest` resolves to the head at the time of the call. */
function blockNumber(chain: ChainReader, block: BlockNumberOrTag | undefined): number {
  if (block?.kind === 'number') return block.number
  return block?.tag === 'earliest' ? chain.lowestNumber : Number(chain.head.header.number)
}
