import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import type { BloomRewrite, LogBloomCache } from '../../../api/logBlooms.ts'
import { quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { answerCodec, nullable, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
  readonly logBlooms?: LogBloomCache | undefined
}

interface Generation extends BloomRewrite {
  readonly isAccepted: boolean
}

const status = answerCodec<Readonly<{ Status: string }>>(
  { title: 'CacheStatus', type: 'object', properties: { Status: { type: 'string' } } },
  (value) => value,
)

const generation: Codec<Generation> = answerCodec(
  {
    title: 'LogBloomCacheStatus',
    type: 'object',
    properties: {
      startBlock: { type: 'string' },
      endBlock: { type: 'string' },
      currentBlock: { type: 'string' },
      indexing: { type: 'boolean' },
      requestAccepted: { type: 'boolean' },
    },
  },
  ({ startBlock, endBlock, currentBlock, isActive, isAccepted }) => ({
    startBlock: quantity(startBlock),
    endBlock: endBlock === Number.POSITIVE_INFINITY ? 'latest' : quantity(endBlock),
    currentBlock: quantity(currentBlock),
    indexing: isActive,
    requestAccepted: isAccepted,
  }),
)

export const generateLogBloomCache: MethodDefinition<Backend> = defineMethod({
  name: 'admin_generateLogBloomCache',
  group: 'ADMIN',
  summary: 'Writes the blooms of a range to files of 100,000 blocks each, in the background; null without a directory.',
  params: [
    optional('startBlock', blockNumberOrTag, 'First block: a number or a tag. Absent: 0.'),
    optional(
      'endBlock',
      blockNumberOrTag,
      'Last block: a number or a tag. Absent: the head if `startBlock` is given, else nothing is written.',
    ),
  ],
  result: result('status', nullable(generation)),
  handler: ({ logBlooms }: Backend, [start, end]) => {
    if (logBlooms === undefined) return undefined
    const from = start === undefined ? 0 : edge(start)
    const to = end === undefined ? (start === undefined ? -1 : Number.POSITIVE_INFINITY) : edge(end)
    const isAccepted = logBlooms.generate(from, to)
    return { ...logBlooms.run, isAccepted }
  },
})

/** Tags other than `earliest` mean the highest block. */
function edge(block: BlockNumberOrTag): number {
  if (block.kind === 'number') return block.number
  return block.tag === 'earliest' ? 0 : Number.POSITIVE_INFINITY
}

/** An empty text stands for an absent parameter. */
const blockOrNothing: Codec<BlockNumberOrTag | undefined> = parameterCodec(
  { title: 'BlockNumberOrTagOrNothing', anyOf: [blockNumberOrTag.schema, { type: 'string', maxLength: 0 }] },
  (value) => (value === '' ? undefined : blockNumberOrTag.parse(value)),
)

export const logsRemoveCache: MethodDefinition<Backend> = defineMethod({
  name: 'admin_logsRemoveCache',
  group: 'ADMIN',
  summary: 'Removes the bloom files of a range of blocks, default: all.',
  params: [
    optional('fromBlock', blockOrNothing, 'First block; whole files are removed. Absent or `""`: 0.'),
    optional(
      'toBlock',
      blockOrNothing,
      'Last block. Absent or `""`: the head without `fromBlock`, else the same block.',
    ),
  ],
  result: result('status', status),
  errors: ['INTERNAL_ERROR'],
  handler: async ({ chain, logBlooms }: Backend, [fromBlock, toBlock]) => {
    const from = fromBlock === undefined ? 0 : existing(chain, fromBlock)
    const last = fromBlock === undefined ? Number(chain.head.header.number) : from
    const to = toBlock === undefined ? last : existing(chain, toBlock)
    if (to < from) throw invalidParams(`the range ends at block ${to}, before its start at ${from}`)
    await logBlooms?.remove(from, to)
    return { Status: 'Cache Removed' }
  },
})

/** Decimal; hex is refused. */
const decimalBlock: Codec<number> = parameterCodec(
  {
    title: 'DecimalBlockNumber',
    oneOf: [
      { type: 'string', pattern: '^[0-9]+$' },
      { type: 'integer', minimum: 0 },
    ],
  },
  (value) => {
    const number = typeof value === 'string' && /^[0-9]{1,15}$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
      throw unexpectedValue('a decimal block number', described(value))
    }
    return number
  },
)

export const logsRepairCache: MethodDefinition<Backend> = defineMethod({
  name: 'admin_logsRepairCache',
  group: 'ADMIN',
  summary: 'Rewrites the bloom files from the one that holds this block (default: the head) down to the first one.',
  params: [
    optional(
      'startBlock',
      decimalBlock,
      'Block in decimal, as a number or as text: files from it down to block 0 are written. Absent: the head.',
    ),
  ],
  result: result('status', nullable(status)),
  errors: ['INTERNAL_ERROR'],
  handler: ({ chain, logBlooms }: Backend, [startBlock]) => {
    const head = Number(chain.head.header.number)
    const from = startBlock === undefined ? head : existing(chain, { kind: 'number', number: startBlock })
    if (logBlooms === undefined) return undefined
    return { Status: logBlooms.repair(from) ? 'Started' : 'Already running' }
  },
})

/** @throws {NodeError} INTERNAL_ERROR for a block above the head */
function existing(chain: ChainReader, block: BlockNumberOrTag): number {
  const head = Number(chain.head.header.number)
  if (block.kind === 'tag') return block.tag === 'earliest' ? Number(chain.genesis.header.number) : head
  const { number } = block
  if (number < 0 || number > head) throw new NodeError({ code: 'INTERNAL_ERROR' }, `block ${number} does not exist`)
  return number
}
