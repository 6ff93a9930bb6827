import type { BlockNumberOrTagOrHash } from '../../api/blockReference.ts'
import { blockLogs, LogViews } from '../../api/logScan.ts'
import { nextBaseFeeOf } from '../../chain/nextBlock.ts'
import type { Header } from '../../types/block.ts'
import { encodeBlock } from '../../types/blockCodec.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import type { BlockNode, LogNode, MinedNode } from '../nodes.ts'
import type { AtBlock, ByAddress, ByIndex, Resolver, Resolvers } from '../resolver.ts'
import { type CallArgs, runCall, runEstimate } from './calls.ts'
import { accountAt, type LogCriteria, matcherOf } from './lookups.ts'

const ofHeader =
  (read: (header: Header) => unknown): Resolver<BlockNode, never> =>
  ({ header }) =>
    read(header.header)

const miner: Resolver<BlockNode, AtBlock> = (block, args, request) =>
  accountAt(request, block.header.header.beneficiary, args.block, () => block)

const account: Resolver<BlockNode, ByAddress> = (block, { address }, request) => request.account(address, block)

const transactionAt: Resolver<BlockNode, ByIndex> = (block, { index }) => block.transaction(index)

const ommerAt: Resolver<BlockNode, ByIndex> = (block, { index }) => block.ommer(index)

const logs: Resolver<BlockNode, { readonly filter: LogCriteria }> = (block, { filter }, { chain }) => {
  if (block.isOmmer) return []
  const { views } = blockLogs(chain, block.header, matcherOf(filter), false, new LogViews())
  return views.map((view): LogNode => ({ block, view }))
}

const call: Resolver<BlockNode, CallArgs> = (block, args, request) => runCall(request, referenceTo(block), args)

const estimateGas: Resolver<BlockNode, CallArgs> = (block, args, request) =>
  runEstimate(request, referenceTo(block), args)

function referenceTo({ header: { hash } }: BlockNode): BlockNumberOrTagOrHash {
  return { kind: 'hash', hash, requireCanonical: false }
}

function transactions(block: BlockNode): readonly (MinedNode | undefined)[] | undefined {
  if (block.isOmmer) return []
  return block.loadedBlock?.body.transactions.map((_, index) => block.transaction(index))
}

function ommers(block: BlockNode): readonly (BlockNode | undefined)[] | undefined {
  if (block.isOmmer) return []
  return block.loadedBlock?.body.ommers.map((_, index) => block.ommer(index))
}

function encoded({ loadedBlock, header }: BlockNode): Uint8Array | undefined {
  return loadedBlock && encodeBlock({ header: header.header, ...loadedBlock.body })
}

const fees: Resolvers<BlockNode> = {
  baseFeePerGas: ofHeader(({ baseFeePerGas }) => baseFeePerGas),
  nextBaseFeePerGas: ({ header }, _, { chain }) => nextBaseFeeOf(chain.config, header.header),
  gasLimit: ofHeader(({ gasLimit }) => gasLimit),
  gasUsed: ofHeader(({ gasUsed }) => gasUsed),
  blobGasUsed: ofHeader(({ blobGasUsed }) => blobGasUsed),
  excessBlobGas: ofHeader(({ excessBlobGas }) => excessBlobGas),
}

const seal: Resolvers<BlockNode> = {
  nonce: ofHeader(({ nonce }) => nonce),
  mixHash: ofHeader(({ mixHash }) => mixHash),
  extraData: ofHeader(({ extraData }) => extraData),
  difficulty: ofHeader(({ difficulty }) => difficulty),
  totalDifficulty: ({ header }) => header.totalDifficulty,
  miner,
}

const body: Resolvers<BlockNode> = {
  transactionCount: ({ isOmmer, loadedBlock }) => (isOmmer ? 0 : loadedBlock?.body.transactions.length),
  transactions,
  transactionAt,
  ommerCount: ({ loadedBlock }) => loadedBlock?.body.ommers.length,
  ommers,
  ommerAt,
  withdrawals: ({ loadedBlock }) =>
    loadedBlock?.body.withdrawals?.map(({ validatorIndex: validator, ...rest }) => ({ validator, ...rest })),
  logs,
}

export const blockResolvers: Resolvers<BlockNode> = {
  ...fees,
  ...seal,
  ...body,
  number: ofHeader(({ number }) => number),
  hash: ({ header }) => header.hash,
  parent: ({ header }, _, request) => {
    const parent = header.header.number === 0n ? undefined : request.chain.parentOf(header)
    return parent && request.block(parent)
  },
  timestamp: ofHeader(({ timestamp }) => timestamp),
  transactionsRoot: ofHeader(({ transactionsRoot }) => transactionsRoot),
  stateRoot: ofHeader(({ stateRoot }) => stateRoot),
  receiptsRoot: ofHeader(({ receiptsRoot }) => receiptsRoot),
  ommerHash: ofHeader(({ ommersHash }) => ommersHash),
  withdrawalsRoot: ofHeader(({ withdrawalsRoot }) => withdrawalsRoot),
  logsBloom: ofHeader(({ logsBloom }) => logsBloom),
  account,
  call,
  estimateGas,
  rawHeader: ofHeader(encodeHeader),
  raw: encoded,
}
