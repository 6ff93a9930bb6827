import { unexpectedValue } from '../../../api/errors.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { amount, milliseconds, seconds } from './codecs.ts'
import { type DevBackend, devChain, operation } from './operation.ts'

/** Times from this value on are milliseconds: as seconds they would be in the year 5138, as milliseconds in 1973. */
const FIRST_MILLISECONDS = 100_000_000_000n

const increaseTime: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_increaseTime',
  aliases: ['anvil_increaseTime'],
  group: 'DEV',
  summary:
    "Advances the chain's clock. Returns how far it is ahead of the wall clock, in seconds: a number as in anvil and " +
    'ganache (hardhat returns text).',
  params: [param('seconds', seconds, 'Seconds by which the clock advances.')],
  result: result('offset', amount),
  errors: ['INVALID_PARAMS'],
  handler: (backend: DevBackend, [by]) => devChain(backend).time.increase(by),
})

const setTime: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_setTime',
  aliases: ['anvil_setTime'],
  group: 'DEV',
  summary:
    "Sets the chain's clock, in seconds, or in milliseconds from 10^11 on. Returns how many seconds it advanced; " +
    '0 when it moved back.',
  params: [param('timestamp', seconds, 'Time since 1970, in seconds, or in milliseconds from 10^11 on.')],
  result: result('seconds', amount),
  errors: ['INVALID_PARAMS'],
  handler: (backend: DevBackend, [timestamp]) => {
    const { time } = devChain(backend)
    const before = time.offset
    const moved = time.set(timestamp < FIRST_MILLISECONDS ? timestamp : timestamp / 1000n) - before
    return moved > 0n ? moved : 0n
  },
})

export const timeMethods: readonly MethodDefinition<DevBackend>[] = [
  increaseTime,
  setTime,
  ...operation({
    answersNull: ['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'],
    summary: "Sets the timestamp of the next block; the chain's clock continues from there.",
    params: [param('timestamp', seconds, 'Seconds since 1970, later than the timestamp of the head.')],
    errors: ['INVALID_PARAMS'],
    run: ({ time }, [timestamp]) => time.setNextBlock(timestamp),
  }),
  ...operation({
    answersNull: ['anvil_setBlockTimestampInterval'],
    answersTrue: ['ganache_setBlockTimestampInterval'],
    summary: 'Sets a constant number of seconds between the timestamps of further blocks.',
    params: [param('seconds', seconds, 'Seconds between two blocks, at least 1.')],
    run: ({ time }, [interval]) => time.setBlockInterval(positive(interval)),
  }),
  ...operation({
    answersTrue: ['hardhat_setBlockTimestampInterval'],
    summary: 'As anvil_setBlockTimestampInterval, but in milliseconds, as viem sends it to hardhat.',
    params: [
      param('milliseconds', milliseconds, 'Milliseconds between two blocks, at least 1,000; whole seconds count.'),
    ],
    run: ({ time }, [interval]) => time.setBlockInterval(positive(BigInt(interval) / 1000n)),
  }),
  ...operation({
    answersTrue: [
      'anvil_removeBlockTimestampInterval',
      'hardhat_removeBlockTimestampInterval',
      'ganache_removeBlockTimestampInterval',
    ],
    summary: "Removes the constant time between blocks: further blocks have the clock's time.",
    params: [],
    run: ({ time }) => time.setBlockInterval(undefined),
  }),
]

function positive(interval: bigint): bigint {
  if (interval === 0n) throw unexpectedValue('at least one second between blocks', String(interval))
  return interval
}
