import type { SyncStatus } from '../../api/nodeInfo.ts'
import { quantity } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { answerCodec } from './support.ts'

/** false when in sync. */
export const syncingStatus: Codec<SyncStatus | undefined> = answerCodec(
  { title: 'Syncing status', oneOf: [{ type: 'boolean' }, { type: 'object' }] },
  (status) => {
    if (status === undefined) return false
    return {
      startingBlock: quantity(status.startingBlock),
      currentBlock: quantity(status.currentBlock),
      highestBlock: quantity(status.highestBlock),
      ...(status.pulledStates === undefined ? {} : { pulledStates: quantity(status.pulledStates) }),
      ...(status.knownStates === undefined ? {} : { knownStates: quantity(status.knownStates) }),
    }
  },
)
