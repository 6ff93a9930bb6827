import { unexpectedValue } from '../../../api/errors.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { MiningControl } from '../../../sealing/contract.ts'
import { address, boolean, string } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT } from '../support/parameterTexts.ts'

interface Backend {
  readonly miner: MiningControl
}

/** Yellow Paper: the lowest gas limit of a block. */
const MIN_GAS_LIMIT = 5000n
const MAX_GAS_LIMIT = 2n ** 63n - 1n

/** JSON number or decimal text. */
const targetGasLimit: Codec<bigint> = parameterCodec(
  { title: 'TargetGasLimit', type: 'integer', minimum: Number(MIN_GAS_LIMIT) },
  (value) => {
    const isNumber = (typeof value === 'number' && Number.isInteger(value)) || typeof value === 'bigint'
    if (!isNumber && !(typeof value === 'string' && /^[0-9]{1,19}$/.test(value))) {
      throw unexpectedValue('a decimal integer', described(value))
    }
    const gasLimit = BigInt(value as number | bigint | string)
    if (gasLimit < 0n || gasLimit > MAX_GAS_LIMIT) {
      throw unexpectedValue(`a gas limit of ${MIN_GAS_LIMIT} to ${MAX_GAS_LIMIT}`, String(gasLimit))
    }
    // Recorded.
    if (gasLimit < MIN_GAS_LIMIT) {
      throw new NodeError(
        { code: 'TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED' },
        `the gas limit ${gasLimit} is below the minimum of ${MIN_GAS_LIMIT}`,
      )
    }
    return gasLimit
  },
)

export const start: MethodDefinition<Backend> = defineMethod({
  name: 'miner_start',
  group: 'MINER',
  summary: 'Starts block production; true even if it is already running.',
  params: [],
  result: result('success', boolean),
  errors: ['COINBASE_NOT_SET', 'READ_ONLY_NODE'],
  handler: ({ miner }: Backend) => {
    miner.start()
    return true
  },
})

export const stop: MethodDefinition<Backend> = defineMethod({
  name: 'miner_stop',
  group: 'MINER',
  summary: 'Stops block production; true even if it is not running, false where validators always produce blocks.',
  params: [],
  result: result('success', boolean),
  errors: ['READ_ONLY_NODE'],
  handler: ({ miner }: Backend) => {
    return miner.stop()
  },
})

export const setCoinbase: MethodDefinition<Backend> = defineMethod({
  name: 'miner_setCoinbase',
  aliases: ['miner_setEtherbase'],
  group: 'MINER',
  summary: 'Sets the beneficiary of the next blocks.',
  params: [param('coinbase', address, ACCOUNT)],
  result: result('success', boolean),
  errors: ['INVALID_REQUEST', 'READ_ONLY_NODE'],
  handler: ({ miner }: Backend, [coinbase]) => {
    miner.setCoinbase(coinbase)
    return true
  },
})

export const changeTargetGasLimit: MethodDefinition<Backend> = defineMethod({
  name: 'miner_changeTargetGasLimit',
  group: 'MINER',
  summary: 'Sets the gas limit that the next blocks approach.',
  params: [param('gasLimit', targetGasLimit, 'Gas limit of at least 5,000: a JSON number or decimal text.')],
  result: result('status', string),
  errors: ['TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED', 'READ_ONLY_NODE'],
  handler: ({ miner }: Backend, [gasLimit]) => {
    miner.setTargetGasLimit(gasLimit)
    return 'Success'
  },
})
