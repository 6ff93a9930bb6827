import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { blockSettings } from './block.ts'
import { impersonation } from './impersonation.ts'
import { infoMethods } from './info.ts'
import { miningMethods } from './mining.ts'
import { poolMethods } from './pool.ts'
import { transactionMethods } from './sendTransaction.ts'
import { signingMethods } from './signing.ts'
import { snapshots } from './snapshots.ts'
import { stateChanges } from './state.ts'
import { timeMethods } from './time.ts'

/** Methods of the dev chain; unknown to a node of any other chain. */
export const devMethods: readonly MethodDefinition<RpcBackend>[] = [
  ...transactionMethods,
  ...signingMethods,
  ...impersonation,
  ...snapshots,
  ...miningMethods,
  ...timeMethods,
  ...blockSettings,
  ...stateChanges,
  ...poolMethods,
  ...infoMethods,
]
