/** Examples of `ibft_*` and `qbft_*`, on chains of two validators with three blocks. */
import { type Example, type Examples, given } from './example.ts'

const NEW_VALIDATOR = '0x00000000000000000000000000000000000000d1'

function examplesOf(prefix: 'ibft' | 'qbft', name: string): Examples {
  const onChain: Example = {
    on: prefix,
    note: `On a chain of ${name} with two validators and three blocks.`,
  }
  return {
    [`${prefix}_discardValidatorVote`]: { ...onChain, ...given([NEW_VALIDATOR]) },
    [`${prefix}_getPendingVotes`]: {
      ...onChain,
      note: 'After a proposal to add a validator.',
      before: async (call) => {
        await call(`${prefix}_proposeValidatorVote`, NEW_VALIDATOR, true)
        return undefined
      },
    },
    [`${prefix}_getSignerMetrics`]: { ...onChain, ...given(['0x1', 'latest']) },
    [`${prefix}_getValidatorsByBlockHash`]: { ...onChain, ...given(({ blockHash }) => [blockHash]) },
    [`${prefix}_getValidatorsByBlockNumber`]: { ...onChain, ...given(['latest']) },
    [`${prefix}_proposeValidatorVote`]: { ...onChain, ...given([NEW_VALIDATOR, true]) },
  }
}

export const bft: Examples = { ...examplesOf('ibft', 'IBFT 2.0'), ...examplesOf('qbft', 'QBFT') }
