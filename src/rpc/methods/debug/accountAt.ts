import { invalidParams } from '../../../api/errors.ts'
import { requireHeader } from '../../../api/lookup.ts'
import { type ReplayBackend, stateInBlock } from '../../../api/stateInBlock.ts'
import { bytesToHex, quantity, trimLeadingZeros } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address, integer } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT, BLOCK_REFERENCE } from '../support/parameterTexts.ts'

interface AccountView {
  readonly code: Uint8Array
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

/** The code hash is written as a quantity, without leading zeros. */
const accountView = answerCodec<AccountView>(
  { title: 'Account', type: 'object', required: ['code', 'nonce', 'balance', 'codehash'] },
  (account) => ({
    code: account.code.length === 0 ? '0x0' : bytesToHex(account.code),
    nonce: quantity(account.nonce),
    balance: quantity(account.balance),
    codehash: quantity(BigInt(`${bytesToHex(trimLeadingZeros(account.codeHash))}`)),
  }),
)

interface Backend extends ReplayBackend {
  readonly chain: ChainReader
}

export const accountAt: MethodDefinition<Backend> = defineMethod({
  name: 'debug_accountAt',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'State of an account after one transaction of a block.',
  params: [
    param('block', blockNumberOrTagOrHash, BLOCK_REFERENCE),
    param(
      'transactionIndex',
      integer,
      'Position of the transaction after which the account is read, from 0 on: a JSON number or decimal text.',
    ),
    param('address', address, ACCOUNT),
  ],
  result: result('account', accountView),
  errors: [
    'BLOCK_NOT_FOUND',
    'UNKNOWN_BLOCK',
    'JSON_RPC_NOT_CANONICAL_ERROR',
    'WORLD_STATE_UNAVAILABLE',
    'NO_ACCOUNT_FOUND',
  ],
  handler: async (backend: Backend, [reference, index, account], context): Promise<AccountView> => {
    const header = requireHeader(backend.chain, reference)
    const count = backend.chain.body(header.hash)?.transactions.length ?? 0
    if (index < 0 || index >= count)
      throw invalidParams(`transaction index ${index} is out of range: the block has ${count} transactions`, {
        expected: `an index below ${count}`,
        got: String(index),
      })
    const replayed = await stateInBlock(backend, header, index + 1, context)
    if (replayed === undefined) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'parent state unavailable')
    const { state } = replayed
    const stateAccount = state.getAccount(account)
    if (stateAccount === undefined) throw new NodeError({ code: 'NO_ACCOUNT_FOUND' }, 'account not found')
    return { ...stateAccount, code: state.getCode(account) }
  },
})
