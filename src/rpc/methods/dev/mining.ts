import type { CallSimulator } from '../../../api/calls/contract.ts'
import { invalidParams } from '../../../api/errors.ts'
import { blockView } from '../../../api/views.ts'
import { MAX_WHOLE_BLOCKS_PER_REQUEST } from '../../../base/limits/limits.ts'
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { DevChain } from '../../../dev/contract.ts'
import type { AbortState } from '../../../evm/driver.ts'
import { retryMissesMaybe } from '../../../storage/retryMisses.ts'
import { block as blockCodec } from '../../codecs/block.ts'
import { boolean, json } from '../../codecs/scalars.ts'
import { arrayOf, isObject, member, nullable, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { ENABLED } from '../support/parameterTexts.ts'
import { amount, milliseconds, number64, seconds } from './codecs.ts'
import { type DevBackend, devChain, operation } from './operation.ts'

interface ChainBackend extends DevBackend {
  readonly chain: ChainReader
  readonly calls: Pick<CallSimulator, 'slicer'>
  readonly residency?: Residency | undefined
}

interface MineOptions {
  /** Time of the first block; undefined: the clock's time. */
  readonly timestamp: bigint | undefined
  readonly blocks: bigint
}

/** Smaller intervals of evm_setIntervalMining are in seconds. */
const FIRST_INTERVAL_MS = 1000

/** Seconds in the request, milliseconds internally. */
const wholeSeconds: Codec<number> = parameterCodec(seconds.schema, (value) =>
  milliseconds.parse(seconds.parse(value) * 1000n),
)

/** A timestamp, or timestamp and number of blocks. */
const mineOptions: Codec<MineOptions> = parameterCodec(
  {
    title: 'MineOptions',
    anyOf: [seconds.schema, { type: 'object', properties: { timestamp: seconds.schema, blocks: number64.schema } }],
  },
  (value) => {
    if (!isObject(value)) return { timestamp: givenTime(seconds.parse(value)), blocks: 1n }
    const timestamp = member(value, 'timestamp', seconds)
    return {
      timestamp: timestamp === undefined ? undefined : givenTime(timestamp),
      blocks: member(value, 'blocks', number64) ?? 1n,
    }
  },
)

/** 0 means the clock's time, as in hardhat. */
function givenTime(timestamp: bigint): bigint | undefined {
  return timestamp === 0n ? undefined : timestamp
}

async function mineAll({ mining }: DevChain, { timestamp, blocks }: MineOptions, signal: AbortState): Promise<void> {
  if (blocks === 0n) return
  if (timestamp === undefined) return mining.mine(blocks, undefined, signal)
  await mining.mineAt(timestamp)
  if (blocks > 1n) await mining.mine(blocks - 1n, undefined, signal)
}

const ONE_BLOCK: MineOptions = { timestamp: undefined, blocks: 1n }

const mine: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_mine',
  group: 'DEV',
  summary: 'Mines one or several blocks, optionally at a timestamp. Returns `0x0`.',
  params: [
    optional(
      'options',
      mineOptions,
      'Timestamp in seconds of one block, or an object with `timestamp` and `blocks`. Absent, or timestamp 0: one block with the time of the clock.',
    ),
  ],
  result: result('zero', json<string>({ type: 'string', const: '0x0' })),
  errors: ['INVALID_PARAMS', 'TIMEOUT'],
  handler: async (backend: DevBackend, [options], context) => {
    await mineAll(devChain(backend), options ?? ONE_BLOCK, context)
    return '0x0'
  },
})

const mineDetailed: MethodDefinition<ChainBackend> = defineMethod({
  name: 'anvil_mine_detailed',
  aliases: ['evm_mine_detailed'],
  group: 'DEV',
  summary: 'As evm_mine, but returns the blocks with their transactions.',
  params: [
    optional(
      'options',
      mineOptions,
      'Timestamp in seconds of one block, or an object with `timestamp` and `blocks`. Absent, or timestamp 0: one block with the time of the clock.',
    ),
  ],
  result: result('blocks', arrayOf(blockCodec)),
  errors: ['INVALID_PARAMS', 'TIMEOUT'],
  handler: async (backend: ChainBackend, [options = ONE_BLOCK], context) => {
    if (options.blocks > MAX_WHOLE_BLOCKS_PER_REQUEST) throw tooManyListed(options.blocks)
    await mineAll(devChain(backend), options, context)
    const head = Number(backend.chain.head.header.number)
    const first = Math.max(1, head - Number(options.blocks) + 1)
    return new StreamedResult((out) => writeBlocks(backend, first, head, out, context))
  },
})

function tooManyListed(count: bigint): NodeError {
  return invalidParams(`at most ${MAX_WHOLE_BLOCKS_PER_REQUEST} blocks can be listed per request`, {
    expected: `at most ${MAX_WHOLE_BLOCKS_PER_REQUEST}`,
    got: String(count),
  })
}

/** Omits blocks that were removed in the meantime. @throws {NodeError} TIMEOUT */
async function writeBlocks(
  { chain, calls, residency }: ChainBackend,
  first: number,
  last: number,
  out: JsonWriter,
  signal: AbortState,
): Promise<void> {
  const slicer = calls.slicer()
  let separator = '['
  for (let number = first; number <= last; number++) {
    // A store miss must not restart the method: the blocks are already mined.
    const view = await retryMissesMaybe(() => {
      const header = chain.headerByNumber(number)
      return header && blockView(chain, header, true)
    }, residency)
    if (view !== undefined) {
      out.ascii(separator)
      out.value(blockCodec.serialize(view))
      separator = ','
    }
    if (out.isFull) await out.drained()
    if (slicer?.isDue === true) await slicer.yield()
    if (signal.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }
  out.ascii(separator === '[' ? '[]' : ']')
}

const getAutomine: MethodDefinition<DevBackend> = defineMethod({
  name: 'anvil_getAutomine',
  aliases: ['hardhat_getAutomine'],
  group: 'DEV',
  summary: 'Whether each transaction is mined immediately.',
  params: [],
  result: result('automine', boolean),
  handler: (backend: DevBackend) => devChain(backend).mining.automine,
})

const getIntervalMining: MethodDefinition<DevBackend> = defineMethod({
  name: 'anvil_getIntervalMining',
  group: 'DEV',
  summary: 'Seconds between blocks; null without interval mining.',
  params: [],
  result: result('seconds', nullable(amount)),
  handler: (backend: DevBackend) => {
    const { intervalMs } = devChain(backend).mining
    return intervalMs === 0 ? undefined : intervalMs / 1000
  },
})

export const miningMethods: readonly MethodDefinition<ChainBackend>[] = [
  mine,
  mineDetailed,
  getAutomine,
  getIntervalMining,
  ...operation({
    answersTrue: ['hardhat_intervalMine'],
    summary: 'Mines one block, as interval mining does.',
    params: [],
    run: ({ mining }) => mining.mine(1n),
  }),
  ...operation({
    answersNull: ['anvil_mine'],
    answersTrue: ['hardhat_mine', 'ganache_mine'],
    summary:
      "Mines blocks (default: 1) with the given number of seconds between timestamps; 0 or absent: the clock's time.",
    params: [
      optional(
        'blocks',
        number64,
        'Number of blocks. Absent: 1. More than 512 empty ones are derived when they are read.',
      ),
      optional('seconds', seconds, 'Seconds between the timestamps. Absent or 0: the time of the clock.'),
    ],
    run: async ({ mining }, [blocks = 1n, interval = 0n], context) => {
      if (blocks > 0n) await mining.mine(blocks, interval === 0n ? undefined : interval, context)
    },
  }),
  ...operation({
    answersNull: ['evm_setAutomine', 'anvil_setAutomine'],
    summary: 'Enables or disables mining each transaction immediately.',
    params: [param('enabled', boolean, ENABLED)],
    run: ({ mining }, [enabled]) => mining.setAutomine(enabled),
  }),
  ...operation({
    answersNull: ['anvil_setIntervalMining'],
    summary: 'Mines a block at an interval in seconds; 0 disables it.',
    params: [param('seconds', wholeSeconds, 'Seconds between two blocks; 0: no interval.')],
    run: ({ mining }, [intervalMs]) => mining.setInterval(intervalMs),
  }),
  ...operation({
    answersNull: ['evm_setIntervalMining'],
    summary:
      'Mines a block per interval; 0 disables it. anvil uses seconds and hardhat milliseconds: values from 1000 on ' +
      'are milliseconds, smaller ones seconds.',
    params: [param('interval', milliseconds, 'Below 1,000: seconds; from 1,000 on: milliseconds; 0: no interval.')],
    run: ({ mining }, [interval]) => mining.setInterval(interval < FIRST_INTERVAL_MS ? interval * 1000 : interval),
  }),
]
