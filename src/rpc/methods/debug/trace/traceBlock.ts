import { invalidParams } from '../../../../api/errors.ts'
import { findHeader } from '../../../../api/lookup.ts'
import { bytesToHex, tryHexToBytes } from '../../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../../base/primitives/errors.ts'
import { keccak256 } from '../../../../base/primitives/keccak.ts'
import { encodedBlock } from '../../../../chain/preparedBlock.ts'
import type { Block } from '../../../../types/block.ts'
import { decodeBlock } from '../../../../types/blockCodec.ts'
import { blockNumberOrTag } from '../../../codecs/blockParameter.ts'
import { data, hash32, string } from '../../../codecs/scalars.ts'
import { NO_TRACE_OPTIONS, traceOptions } from '../../../codecs/traceOptions.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../../method.ts'
import { BLOCK, BLOCK_HASH, TRACE_OPTIONS } from '../../support/parameterTexts.ts'
import { debugTracedHash, debugTracedNumber } from '../../support/traceSubjects.ts'
import {
  blockTrace,
  limitsOf,
  type TraceBackend,
  traceBlockLazily,
  traceErrors,
  traceList,
  untraceable,
} from './tracing.ts'

export const traceBlockByNumber: MethodDefinition<TraceBackend> = defineMethod({
  name: 'debug_traceBlockByNumber',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Traces of the transactions of a canonical block.',
  params: [param('block', blockNumberOrTag, BLOCK), optional('options', traceOptions, TRACE_OPTIONS)],
  isHeavy: true,
  subjectOf: debugTracedNumber,
  result: result('traces', blockTrace),
  errors: traceErrors,
  handler: (backend: TraceBackend, [reference, given = NO_TRACE_OPTIONS], context) => {
    const header = findHeader(backend.chain, reference)
    if (header !== undefined) return traceBlockLazily(backend, header, given, context)
    const name = reference.kind === 'number' ? `#${reference.number}` : reference.tag
    return untraceable(backend, 'NOT_TRACEABLE', `block ${name} not found`)
  },
})

export const traceBlockByHash: MethodDefinition<TraceBackend> = defineMethod({
  name: 'debug_traceBlockByHash',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Traces of the transactions of a stored block.',
  params: [param('hash', hash32, BLOCK_HASH), optional('options', traceOptions, TRACE_OPTIONS)],
  isHeavy: true,
  subjectOf: debugTracedHash,
  result: result('traces', blockTrace),
  errors: traceErrors,
  handler: (backend: TraceBackend, [hash, given = NO_TRACE_OPTIONS], context) => {
    const header = backend.chain.headerByHash(hash)
    if (header !== undefined) return traceBlockLazily(backend, header, given, context)
    return untraceable(backend, 'NOT_TRACEABLE', `block ${bytesToHex(hash)} not found`)
  },
})

export const traceBlock: MethodDefinition<TraceBackend> = defineMethod({
  name: 'debug_traceBlock',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'Traces of the transactions of a given block, which need not be stored; its parent must be.',
  params: [
    param('block', { ...string, schema: data.schema }, 'RLP of the block.'),
    optional('options', traceOptions, TRACE_OPTIONS),
  ],
  isHeavy: true,
  result: result('traces', blockTrace),
  errors: [...traceErrors, 'PARENT_BLOCK_NOT_FOUND', 'INVALID_BLOCK_HEX'],
  handler: (backend: TraceBackend, [text, given = NO_TRACE_OPTIONS], context) => {
    const { block, hash, encodings } = encodedBlock(blockOf(text), backend.consensus)
    const stored = backend.chain.headerByHash(hash)
    // A stored block is traced with its stored senders, which may differ from its signatures (dev chain).
    if (stored !== undefined) return traceBlockLazily(backend, stored, given, context)
    const { parentHash } = block.header
    const parent = backend.chain.headerByHash(parentHash)
    if (parent === undefined) {
      throw new NodeError({ code: 'PARENT_BLOCK_NOT_FOUND' }, `parent ${bytesToHex(parentHash)} not found`)
    }
    return traceList(backend, encodings.transactions.map(keccak256), given, (plan) =>
      backend.tracing.blockOn(parent, block, plan, limitsOf(context, given)),
    )
  },
})

function blockOf(text: string): Block {
  const rlp = tryHexToBytes(text)
  if (rlp === undefined) throw new NodeError({ code: 'INVALID_BLOCK_HEX' }, 'block: not a hex string')
  try {
    return decodeBlock(rlp)
  } catch (error) {
    if (!isNodeError(error)) throw error
    throw invalidParams(`could not decode block: ${error.message}`)
  }
}
