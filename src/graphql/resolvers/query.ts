import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import { priorityFeeOfRecentBlocks, suggestedGasPrice, suggestedPriorityFee } from '../../api/gasPrices.ts'
import type { LogCollector } from '../../api/logCollector.ts'
import { logView, scanLogs } from '../../api/logScan.ts'
import type { LogView } from '../../api/viewTypes.ts'
import { MAX_GRAPHQL_BLOCKS, MAX_GRAPHQL_VALUES } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { StoredLogs } from '../../chain/contract.ts'
import type { LogLocation } from '../../types/storedLogs.ts'
import { acceptedHash } from '../errors.ts'
import type { GraphqlRequest } from '../graphqlRequest.ts'
import type { BlockNode, LogNode } from '../nodes.ts'
import type { ByAddress, Omittable, Resolver, Resolvers } from '../resolver.ts'
import { accountAt, headNode, type LogCriteria, matcherOf, minedNode, notFound, requireNumber } from './lookups.ts'

interface BlockArgs {
  readonly number?: Omittable<bigint>
  readonly hash?: Omittable<Uint8Array>
}

interface RangeArgs {
  readonly from?: Omittable<bigint>
  readonly to?: Omittable<bigint>
}

interface LogFilterArgs {
  readonly filter: LogCriteria & {
    readonly fromBlock?: Omittable<bigint>
    readonly toBlock?: Omittable<bigint>
  }
}

interface AccountArgs extends ByAddress {
  readonly blockNumber?: Omittable<bigint>
}

const block: Resolver<undefined, BlockArgs> = (_, { number, hash }, request) => {
  if (typeof number === 'bigint' && hash) throw unexpectedValue('either number or hash', 'both', 'block')
  if (typeof number === 'bigint') return requireNumber(request, number)
  return hash ? blockByHash(request, hash) : headNode(request)
}

function blockByHash(request: GraphqlRequest, hash: Uint8Array): BlockNode {
  const header = request.chain.headerByHash(hash)
  if (header === undefined) throw notFound(`Block hash ${bytesToHex(hash)} was not found`)
  return request.block(header)
}

const blocks: Resolver<undefined, RangeArgs> = (_, { from, to }, request) => {
  if (typeof from !== 'bigint') throw invalidParams('from: missing')
  const head = request.chain.head.header.number
  const last = to ?? head
  if (from > last || from < 0n) throw invalidParams(`blocks: ${from} to ${last} is not a range`)
  const end = last < head ? last : head
  if (end - from >= BigInt(MAX_GRAPHQL_BLOCKS)) {
    throw new NodeError(
      { code: 'RANGE_TOO_LARGE' },
      `blocks: expected at most ${MAX_GRAPHQL_BLOCKS}, got ${end - from + 1n}`,
    )
  }
  const blocks: BlockNode[] = []
  for (let number = from; number <= end; number++) blocks.push(requireNumber(request, number))
  return blocks
}

/** Copies logs, so that their blocks' receipts need not stay in memory. */
class CollectedLogs implements LogCollector {
  readonly views: LogView[] = []

  get count(): number {
    return this.views.length
  }

  add(location: LogLocation, block: StoredLogs, removed: boolean): void {
    if (this.views.length >= MAX_GRAPHQL_VALUES) {
      throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned more than ${MAX_GRAPHQL_VALUES} results`)
    }
    const view = logView(location, block, removed)
    const { address, topics, data } = view.log
    const log = { address: address.slice(), topics: topics.map((topic) => topic.slice()), data: data.slice() }
    this.views.push({ ...view, log })
  }
}

const logs: Resolver<undefined, LogFilterArgs> = (_, { filter }, request) => {
  const head = Number(request.chain.head.header.number)
  const from = Number(filter.fromBlock ?? head)
  const to = Number(filter.toBlock ?? head)
  if (from > to) throw invalidParams(`logs: ${from} to ${to} is not a range`)
  const matcher = matcherOf(filter)
  return request.inTurn(async () => {
    const blocks = await scanLogs(request.backend, matcher, { from, to }, new CollectedLogs(), request)
    return blocks.views.map((view) => logNode(request, view))
  })
}

function logNode(request: GraphqlRequest, view: LogView): LogNode {
  return { block: blockByHash(request, view.blockHash), view }
}

const transaction: Resolver<undefined, { readonly hash: Uint8Array }> = (_, { hash }, request) => {
  const pooled = request.backend.pool.byHash(hash)
  return pooled === undefined ? minedNode(request, hash) : { kind: 'waiting', pooled }
}

const account: Resolver<undefined, AccountArgs> = (_, { address, blockNumber }, request) =>
  accountAt(request, address, blockNumber, () => headNode(request))

export const queryResolvers: Resolvers<undefined> = {
  block,
  blocks,
  transaction,
  logs,
  account,
  pending: () => ({}),
  gasPrice: (_, __, { backend: { chain, options, mining } }) => suggestedGasPrice(chain, options, mining.minGasPrice),
  maxPriorityFeePerGas: (_, __, { backend: { chain, options } }) =>
    options.profile === 'geth' ? suggestedPriorityFee(chain, options) : priorityFeeOfRecentBlocks(chain, options),
  syncing: (_, __, { backend }) => backend.node.syncStatus,
  chainID: (_, __, { chain }) => chain.config.chainId,
  protocolVersion: (_, __, { backend }) => backend.node.protocolVersion,
}

const sendRawTransaction: Resolver<undefined, { readonly data: Uint8Array }> = (_, { data }, { backend }) =>
  backend.submission.submitRaw(data).then(acceptedHash)

export const mutationResolvers: Resolvers<undefined> = { sendRawTransaction }
