import { type BlockNumberOrTagOrHash, LATEST } from '../../../api/blockReference.ts'
import type { ForkAccess } from '../../../api/forkAccess.ts'
import { requireHeader, type StateQuery, stateAt } from '../../../api/lookup.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../base/primitives/keccak.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address } from '../../codecs/scalars.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'
import { BLOCK_ERRORS } from './state.ts'

interface AccountView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
}

interface AccountInfoView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
}

const ABSENT: AccountView = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_TRIE_ROOT }

const accountView = answerCodec<AccountView>(
  { title: 'Account', type: 'object', required: ['balance', 'nonce', 'codeHash', 'storageRoot'] },
  ({ nonce, balance, codeHash, storageRoot }) => ({
    balance: quantity(balance),
    nonce: quantity(nonce),
    codeHash: bytesToHex(codeHash),
    storageRoot: bytesToHex(storageRoot),
  }),
)

const accountInfoView = answerCodec<AccountInfoView>(
  { title: 'AccountInfo', type: 'object', required: ['balance', 'nonce', 'code'] },
  ({ nonce, balance, code }) => ({ balance: quantity(balance), nonce: quantity(nonce), code: bytesToHex(code) }),
)

interface AccountQuery extends StateQuery {
  readonly fork?: Pick<ForkAccess, 'block' | 'prove'> | undefined
}

export const getAccount: MethodDefinition<AccountQuery> = defineMethod({
  name: 'eth_getAccount',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Balance, nonce, code hash and storage root of an account; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('account', nullable(accountView)),
  errors: [...BLOCK_ERRORS, 'FORK_UNSUPPORTED'],
  handler: (backend: AccountQuery, [target, block]) => {
    const { fork } = backend
    if (fork !== undefined) return accountOnFork(backend.chain, fork, target, block)
    const state = stateAt(backend, block)
    return state && (state.getAccount(target) ?? ABSENT)
  },
})

/** Only the remote knows storage roots; those of local blocks cover what changed locally. */
async function accountOnFork(
  chain: ChainReader,
  fork: Pick<ForkAccess, 'block' | 'prove'>,
  target: Uint8Array,
  block: BlockNumberOrTagOrHash | undefined,
): Promise<AccountView> {
  const header = requireHeader(chain, block ?? LATEST)
  if (Number(header.header.number) <= fork.block.number) return (await fork.prove(header, target, [])).account ?? ABSENT
  const message =
    'the storage root of an account in a local block is not known on a fork: eth_getAccountInfo shows the rest'
  throw new NodeError({ code: 'FORK_UNSUPPORTED' }, message)
}

export const getAccountInfo: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getAccountInfo',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Balance, nonce and code of an account; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('account', nullable(accountInfoView)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [target, block]) => {
    const state = stateAt(backend, block)
    if (state === undefined) return undefined
    const { nonce, balance } = state.getAccount(target) ?? ABSENT
    return { nonce, balance, code: state.getCode(target) }
  },
})
