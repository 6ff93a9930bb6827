/** Examples of `eea_*` and `priv_*`, on a dev chain with two private transactions of a group of two. */
import { toBase64 } from '../../../src/base/primitives/base64.ts'
import { legacyGroupId } from '../../../src/private/privacy/groups.ts'
import { ENCLAVE_KEYS } from '../../support/private/privateNode.ts'
import { type Example, type Examples, given } from './example.ts'

const [OWN, OTHER] = ENCLAVE_KEYS as [string, string]
const GROUP = toBase64(legacyGroupId([new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]))

const PRIVATE: Example = {
  on: 'privacy',
  note: 'On a dev chain with an enclave. Block 1 creates a private contract, block 2 sends it the number 42.',
}
const FLEXIBLE: Example = { on: 'flexible', note: 'On a node with flexible groups, before the first one.' }

const FILTER = { fromBlock: '0x0', toBlock: 'latest' }

const withFilter = (): Example => ({
  ...PRIVATE,
  before: async (call) => [GROUP, (await call('priv_newFilter', GROUP, FILTER)).result],
})

export const priv: Examples = {
  eea_sendRawTransaction: { ...PRIVATE, ...given(({ rawTransaction }) => [rawTransaction]) },
  priv_call: { ...PRIVATE, ...given(({ token }) => [GROUP, { to: token, data: '0x' }, 'latest']) },
  priv_createPrivacyGroup: {
    ...PRIVATE,
    ...given([{ addresses: [OWN, OTHER], name: 'pair', description: 'two members' }]),
  },
  priv_debugGetStateRoot: { ...PRIVATE, ...given([GROUP, 'latest']) },
  priv_deletePrivacyGroup: { ...PRIVATE, ...given([GROUP]) },
  priv_distributeRawTransaction: { ...PRIVATE, ...given(({ rawTransaction }) => [rawTransaction]) },
  priv_findPrivacyGroup: { ...PRIVATE, ...given([[OWN, OTHER]]) },
  priv_getCode: { ...PRIVATE, ...given(({ token }) => [GROUP, token, 'latest']) },
  priv_getEeaTransactionCount: { ...PRIVATE, ...given(({ alice }) => [alice, OWN, [OTHER]]) },
  priv_getFilterChanges: withFilter(),
  priv_getFilterLogs: withFilter(),
  priv_getLogs: { ...PRIVATE, ...given([GROUP, FILTER]) },
  priv_getPrivacyPrecompileAddress: PRIVATE,
  priv_getPrivateTransaction: { ...PRIVATE, ...given(({ transactions }) => [transactions[1]]) },
  priv_getTransactionCount: { ...PRIVATE, ...given(({ alice }) => [alice, GROUP]) },
  priv_getTransactionReceipt: { ...PRIVATE, ...given(({ transactions }) => [transactions[1]]) },
  priv_newFilter: { ...PRIVATE, ...given([GROUP, FILTER]) },
  priv_subscribe: { ...PRIVATE, ...given([GROUP, 'logs', {}]) },
  priv_uninstallFilter: withFilter(),
  priv_unsubscribe: {
    ...PRIVATE,
    before: async (call) => [GROUP, (await call('priv_subscribe', GROUP, 'logs', {})).result],
  },
  privx_findFlexiblePrivacyGroup: { ...FLEXIBLE, ...given([[OWN]]) },
}
