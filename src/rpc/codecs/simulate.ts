import { NO_BLOCK_OVERRIDES } from '../../api/calls/overrides.ts'
import { invalidParams } from '../../api/errors.ts'
import type {
  BlockStateCall,
  SimulatedBlockView,
  SimulatedCallError,
  SimulatePayload,
} from '../../api/simulate/contract.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { serializeBlock } from './block.ts'
import { genericTransaction } from './callObject.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'
import { boolean } from './scalars.ts'
import { SIMULATED_BLOCK } from './schemas.ts'
import { answerCodec, arrayOf, asObject, isObject, member, parameterCodec } from './support.ts'

const calls = arrayOf(genericTransaction)

const blockStateCall: Codec<BlockStateCall> = parameterCodec(
  {
    title: 'Block state call',
    type: 'object',
    properties: {
      blockOverrides: blockOverrides.schema,
      stateOverrides: stateOverrides.schema,
      calls: calls.schema,
    },
  },
  (value, profile) => {
    const entry = asObject(value, 'block state call')
    return {
      blockOverrides: member(entry, 'blockOverrides', blockOverrides, profile) ?? NO_BLOCK_OVERRIDES,
      stateOverrides: member(entry, 'stateOverrides', stateOverrides, profile) ?? [],
      calls: member(entry, 'calls', calls, profile) ?? [],
    }
  },
)

const blockStateCalls = arrayOf(blockStateCall)

export const simulatePayload: Codec<SimulatePayload> = parameterCodec(
  {
    title: 'Simulate payload',
    type: 'object',
    properties: {
      blockStateCalls: blockStateCalls.schema,
      traceTransfers: { type: 'boolean' },
      validation: { type: 'boolean' },
      returnFullTransactions: { type: 'boolean' },
    },
  },
  (value, profile) => {
    const payload = asObject(value, 'payload')
    const blocks = member(payload, 'blockStateCalls', blockStateCalls, profile)
    if (blocks === undefined || blocks.length === 0)
      throw invalidParams('empty input', { expected: 'at least one block', got: 'none' })
    return {
      blockStateCalls: blocks,
      traceTransfers: member(payload, 'traceTransfers', boolean) ?? false,
      validation: member(payload, 'validation', boolean) ?? false,
      returnFullTransactions: member(payload, 'returnFullTransactions', boolean) ?? false,
    }
  },
)

function serializeCalls(view: SimulatedBlockView): unknown[] {
  const blockNumber = quantity(view.header.number)
  const blockTimestamp = quantity(view.header.timestamp)
  const blockHash = bytesToHex(view.hash)
  let logIndex = 0
  return view.calls.map((call, at) => {
    const transactionHash = bytesToHex(view.transactionHashes[at] ?? new Uint8Array(32))
    const transactionIndex = quantity(at)
    const logs = call.logs.map((log) => ({
      address: bytesToHex(log.address),
      topics: log.topics.map(bytesToHex),
      data: bytesToHex(log.data),
      blockNumber,
      transactionHash,
      transactionIndex,
      blockHash,
      blockTimestamp,
      logIndex: quantity(logIndex++),
      removed: false,
    }))
    return {
      returnData: bytesToHex(call.returnData),
      logs,
      gasUsed: quantity(call.gasUsed),
      maxUsedGas: quantity(call.maxUsedGas),
      status: call.error === undefined ? '0x1' : '0x0',
      ...(call.error === undefined ? {} : { error: serializeError(call.error) }),
    }
  })
}

/** Error numbers of execution-apis for failed calls. */
const ERROR_NUMBERS = { reverted: 3, halted: -32015 } as const

function serializeError({ kind, message, data }: SimulatedCallError): unknown {
  const code = ERROR_NUMBERS[kind]
  return data === undefined ? { message, code } : { message, code, data: bytesToHex(data) }
}

export const simulatedBlocks: Codec<readonly SimulatedBlockView[]> = arrayOf(
  answerCodec(SIMULATED_BLOCK, (view: SimulatedBlockView) => {
    const json = serializeBlock(view)
    // A simulated block is not part of a chain, so it has no total difficulty.
    delete json['totalDifficulty']
    const blockTimestamp = json['timestamp']
    json['transactions'] = (json['transactions'] as readonly unknown[]).map((entry) =>
      isObject(entry) ? { ...entry, blockTimestamp } : entry,
    )
    json['calls'] = serializeCalls(view)
    return json
  }),
)
