import { findByReference, type StateQuery } from '../../../api/lookup.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import type { AccountEntry } from '../../../state/contract.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { ignored, integer, word } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { BLOCK_REFERENCE, PAGE_LIMIT, PAGE_START } from '../support/parameterTexts.ts'
import { pageLimit } from './pageLimit.ts'

interface AccountRange {
  readonly entries: readonly AccountEntry[]
  /** undefined: no further account; null: the block does not exist */
  readonly nextHash: Uint8Array | undefined | null
}

const ZERO_ADDRESS = new Uint8Array(20)
const ZERO_HASH = new Uint8Array(32)

const accountRangeResult = answerCodec<AccountRange>(
  { title: 'Account range', type: 'object', required: ['addressMap', 'nextKey'] },
  ({ entries, nextHash }) => ({
    addressMap: Object.fromEntries(
      entries.map((entry) => [bytesToHex(entry.hash), bytesToHex(entry.address ?? ZERO_ADDRESS)]),
    ),
    nextKey: nextHash === null ? null : bytesToHex(nextHash ?? ZERO_HASH),
  }),
)

export const accountRange: MethodDefinition<StateQuery> = defineMethod({
  name: 'debug_accountRange',
  group: 'DEBUG',
  answeredBy: 'any',
  // Clients of private networks probe for it and expect this error.
  whenDisabled: 'not found',
  summary: 'Accounts after a block, in the order of their address hashes.',
  params: [
    param('block', blockNumberOrTagOrHash, BLOCK_REFERENCE),
    optional('transactionIndex', ignored, 'Ignored: the state is that after the whole block.'),
    param('startHash', word, PAGE_START),
    param('limit', integer, PAGE_LIMIT),
  ],
  result: result('range', accountRangeResult),
  handler: (backend: StateQuery, [reference, , startHash, limit]): AccountRange => {
    const header = findByReference(backend.chain, reference)
    const state = header && backend.states.at(header)
    if (state === undefined) return { entries: [], nextHash: null }
    const count = pageLimit(limit)
    const entries = state.accounts(startHash, count + 1)
    return { entries: entries.slice(0, count), nextHash: entries[count]?.hash }
  },
})
