import { equalBytes } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { BlockTraceFiles, TracedBlock, TraceFileOptions } from '../../../tracing/blockTraceFiles.ts'
import type { BlockTracing } from '../../../tracing/contract.ts'
import type { Block } from '../../../types/block.ts'
import { decodeBlock } from '../../../types/blockCodec.ts'
import { boolean, hash32, string } from '../../codecs/scalars.ts'
import { arrayOf, asObject, member, parameterCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, type RequestContext, result } from '../../method.ts'
import { BLOCK_HASH } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
  readonly tracing: BlockTracing
  readonly traceFiles: BlockTraceFiles | undefined
}

const DEFAULTS: TraceFileOptions = { transactionHash: undefined, showsMemory: false }

const traceFileOptions = parameterCodec<TraceFileOptions>(
  {
    title: 'Trace file options',
    type: 'object',
    properties: {
      txHash: { ...hash32.schema, description: 'trace only this transaction' },
      disableMemory: { type: 'boolean', default: true },
    },
  },
  (value) => {
    const object = asObject(value, 'options')
    return {
      transactionHash: member(object, 'txHash', hash32),
      showsMemory: member(object, 'disableMemory', boolean) === false,
    }
  },
)

const PARAMS = [
  param('blockHash', hash32, BLOCK_HASH),
  optional(
    'options',
    traceFileOptions,
    '`txHash`: trace only this transaction. `disableMemory: false`: write the memory, too.',
  ),
] as const
const PATHS = result('paths', arrayOf(string))
const ERRORS = [
  'BLOCK_NOT_FOUND',
  'WORLD_STATE_UNAVAILABLE',
  'TRACE_FILES_UNAVAILABLE',
  'TRACE_FILES_FULL',
  'TRACE_FILE_FAILED',
  'TRACE_DISK_FULL',
  'REPLAY_FAILED',
  'EXECUTION_ABORTED',
]

export const standardTraceBlockToFile: MethodDefinition<Backend> = defineMethod({
  name: 'debug_standardTraceBlockToFile',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: "Writes traces of a block's transactions to files in the format of EIP-3155; returns their absolute paths.",
  params: PARAMS,
  result: PATHS,
  errors: ERRORS,
  handler: (backend: Backend, [hash, options], context) => {
    const { chain } = backend
    const stored = chain.headerByHash(hash)
    const body = stored && chain.body(hash)
    if (stored === undefined || body === undefined) throw blockNotFound()
    if (body.transactions.length === 0) return []
    return write(backend, { header: stored.header, ...body }, hash, stored, options, context)
  },
})

export const standardTraceBadBlockToFile: MethodDefinition<Backend> = defineMethod({
  name: 'debug_standardTraceBadBlockToFile',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'As debug_standardTraceBlockToFile, for a rejected block.',
  params: PARAMS,
  result: PATHS,
  errors: ERRORS,
  handler: (backend: Backend, [hash, options], context) => {
    const bad = backend.chain.badBlocks().find((entry) => equalBytes(entry.hash, hash))
    if (bad === undefined) throw blockNotFound()
    return write(backend, decodeBlock(bad.rlp), hash, undefined, options, context)
  },
})

/** @throws {NodeError} those of ERRORS */
async function write(
  { chain, tracing, traceFiles }: Backend,
  block: Block,
  hash: Uint8Array,
  stored: ChainHeader | undefined,
  options: TraceFileOptions | undefined,
  { signal }: RequestContext,
): Promise<readonly string[]> {
  if (traceFiles === undefined)
    throw new NodeError({ code: 'TRACE_FILES_UNAVAILABLE' }, 'this node cannot store trace files')
  const parent = chain.parentOf(stored ?? block)
  const isKept = parent !== undefined && (stored === undefined || tracing.canTrace(stored))
  if (!isKept) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'the state before the block is not available')
  const target: TracedBlock = { block, hash, stored, parent }
  return await traceFiles.write(target, options ?? DEFAULTS, { signal, timeoutMs: undefined })
}

function blockNotFound(): NodeError {
  return new NodeError({ code: 'BLOCK_NOT_FOUND' }, 'block not found')
}
