import { findByReference } from '../../../api/lookup.ts'
import { type ReplayBackend, stateInBlock } from '../../../api/stateInBlock.ts'
import { type StorageRange, storageInBlock } from '../../../api/storageInBlock.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { StateSource, StorageEntry } from '../../../state/contract.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address, integer, word } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { ACCOUNT, BLOCK_REFERENCE, PAGE_LIMIT, PAGE_START } from '../support/parameterTexts.ts'
import { pageLimit } from './pageLimit.ts'

interface StoragePage {
  readonly entries: readonly StorageEntry[]
  /** undefined: no further slot */
  readonly nextHash: Uint8Array | undefined
}

const storageRangeResult = answerCodec<StoragePage>(
  { title: 'Storage range', type: 'object', required: ['storage', 'complete'] },
  ({ entries, nextHash }) => ({
    storage: Object.fromEntries(
      entries.map(({ hash, slot, value }) => [
        bytesToHex(hash),
        { key: slot === undefined ? null : bytesToHex(slot), value: bytesToHex(value) },
      ]),
    ),
    ...(nextHash === undefined ? {} : { nextKey: bytesToHex(nextHash) }),
    complete: nextHash === undefined,
  }),
)

const NOTHING: StoragePage = { entries: [], nextHash: undefined }

interface Backend extends ReplayBackend {
  readonly chain: ChainReader
  readonly states: StateSource
}

export const storageRangeAt: MethodDefinition<Backend> = defineMethod({
  name: 'debug_storageRangeAt',
  group: 'DEBUG',
  answeredBy: 'any',
  summary:
    'Storage of an account after one transaction of a block (before it in the profile geth), in the order of slot hashes.',
  params: [
    param('block', blockNumberOrTagOrHash, BLOCK_REFERENCE),
    param(
      'transactionIndex',
      integer,
      'Position of a transaction, from 0 on. The profile `besu` includes its writes, `geth` excludes them. Beyond the last one: the state before the block.',
    ),
    param('address', address, ACCOUNT),
    param('startKey', word, PAGE_START),
    param('limit', integer, PAGE_LIMIT),
  ],
  result: result('range', storageRangeResult),
  handler: async (backend: Backend, [reference, index, account, fromHash, limit], context) => {
    const header = findByReference(backend.chain, reference)
    if (header === undefined) return NOTHING
    const count = pageLimit(limit)
    const entries = await entriesFrom(backend, header, index, { account, fromHash, limit: count + 1 }, context)
    return { entries: entries.slice(0, count), nextHash: entries[count]?.hash }
  },
})

/**
 * Storage before the block, overlaid with the writes of its transactions up to the index. Besu includes the transaction
 * at `index`; go-ethereum excludes it (debuggers rely on go-ethereum's behaviour).
 */
async function entriesFrom(
  backend: Backend,
  header: ChainHeader,
  index: number,
  range: StorageRange,
  context: RequestContext,
): Promise<readonly StorageEntry[]> {
  const parent = backend.chain.parentOf(header)
  // The genesis block has no parent: its own state serves as the starting state.
  const before = backend.states.at(parent ?? header)
  if (before === undefined) return []
  const transactions = backend.chain.body(header.hash)?.transactions.length ?? 0
  if (parent === undefined || index < 0 || index >= transactions) {
    return before.storage(range.account, range.fromHash, range.limit)
  }
  const count = backend.options.profile === 'geth' ? index : index + 1
  const replayed = await stateInBlock(backend, header, count, context)
  return replayed === undefined ? [] : storageInBlock(before, replayed.state, replayed.changes, range)
}
