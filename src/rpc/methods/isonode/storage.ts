import { LATEST } from '../../../api/blockReference.ts'
import { type StorageBackend, type StorageView, storageView } from '../../../api/contracts/storageView.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address } from '../../codecs/scalars.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'

const storageOfContract = nullable(
  answerCodec<StorageView>(
    { title: 'Storage', type: 'object', required: ['variables', 'unknown', 'isComplete'] },
    (view) => view,
  ),
)

export const storage: MethodDefinition<StorageBackend> = defineMethod({
  name: 'isonode_storage',
  group: 'ISONODE',
  summary:
    'The storage of a contract by the names of its state variables, from the layout of the compiler, or computed from the ' +
    'syntax tree. Keys of mappings are those that the newest blocks with the contract used; `isComplete` tells whether ' +
    'these were all blocks. `unknown`: used slots that belong to no known variable. null for an account without code.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('storage', storageOfContract),
  errors: [
    'BLOCK_NOT_FOUND',
    'UNKNOWN_BLOCK',
    'JSON_RPC_NOT_CANONICAL_ERROR',
    'STATE_PRUNED',
    'WORLD_STATE_UNAVAILABLE',
  ],
  handler: (backend: StorageBackend, [account, block], { signal }) =>
    storageView(backend, account, block ?? LATEST, { signal }),
})
