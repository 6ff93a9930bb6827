import { boolean } from '../../codecs/scalars.ts'
import { type MethodDefinition, param } from '../../method.ts'
import { DEV_ACCOUNT, ENABLED } from '../support/parameterTexts.ts'
import { account, signature } from './codecs.ts'
import { type DevBackend, operation } from './operation.ts'

export const impersonation: readonly MethodDefinition<DevBackend>[] = [
  ...operation({
    answersNull: ['anvil_impersonateAccount'],
    answersTrue: ['hardhat_impersonateAccount', 'ganache_impersonateAccount'],
    summary: 'Impersonates an account: accepts its transactions (eth_sendTransaction) without its key.',
    params: [param('address', account, DEV_ACCOUNT)],
    run: ({ accounts }, [target]) => accounts.impersonate(target),
  }),
  ...operation({
    answersNull: ['anvil_stopImpersonatingAccount'],
    answersTrue: ['hardhat_stopImpersonatingAccount', 'ganache_stopImpersonatingAccount'],
    summary: 'Ends the impersonation of an account.',
    params: [param('address', account, DEV_ACCOUNT)],
    run: ({ accounts }, [target]) => accounts.stopImpersonating(target),
  }),
  ...operation({
    answersNull: ['anvil_autoImpersonateAccount', 'hardhat_autoImpersonateAccount'],
    summary: 'Impersonates every account whose key the node does not have, or ends it.',
    params: [param('enabled', boolean, ENABLED)],
    run: ({ accounts }, [enabled]) => accounts.setAutoImpersonate(enabled),
  }),
  ...operation({
    answersNull: ['anvil_impersonateSignature'],
    summary:
      'Lets ecrecover return the address for this signature, whatever the hash, in calls and in all further blocks.',
    params: [
      param('signature', signature, '65 bytes: r, s, and v, which is 0, 1, 27 or 28.'),
      param('address', account, 'Address that ecrecover returns, 20 bytes.'),
    ],
    run: ({ execution }, [given, address]) => execution.setSigner(given, address),
  }),
]
