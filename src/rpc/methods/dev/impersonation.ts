import { boolean } from '../../codecs/scalars.ts'
import { type MethodDefinition, param } from '../../method.ts'
import { account } from './codecs.ts'
import { type DevBackend, operation } from './operation.ts'

export const impersonation: readonly MethodDefinition<DevBackend>[] = [
  ...operation({
    quiet: ['anvil_impersonateAccount'],
    confirming: ['hardhat_impersonateAccount', 'ganache_impersonateAccount'],
    summary: 'Takes transactions of an account (eth_sendTransaction) without its key from now on.',
    params: [param('address', account)],
    run: ({ accounts }, [target]) => accounts.impersonate(target),
  }),
  ...operation({
    quiet: ['anvil_stopImpersonatingAccount'],
    confirming: ['hardhat_stopImpersonatingAccount', 'ganache_stopImpersonatingAccount'],
    summary: 'Ends the impersonation of an account.',
    params: [param('address', account)],
    run: ({ accounts }, [target]) => accounts.stopImpersonating(target),
  }),
  ...operation({
    quiet: ['anvil_autoImpersonateAccount', 'hardhat_autoImpersonateAccount'],
    summary: 'Impersonates every account that the node has no key of, or ends that.',
    params: [param('enabled', boolean)],
    run: ({ accounts }, [enabled]) => accounts.setAutoImpersonate(enabled),
  }),
]
