import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { blobMethods } from './blobs.ts'
import { blockSettings } from './block.ts'
import { transferMethods } from './chainTransfer.ts'
import { dumpMethods } from './dump.ts'
import { tokenMethods } from './erc20.ts'
import { forkMethods } from './fork.ts'
import { impersonation } from './impersonation.ts'
import { infoMethods } from './info.ts'
import { miningMethods } from './mining.ts'
import { personalMethods } from './personal.ts'
import { poolMethods } from './pool.ts'
import { reorganisations } from './reorg.ts'
import { transactionMethods } from './sendTransaction.ts'
import { signingMethods } from './signing.ts'
import { snapshots } from './snapshots.ts'
import { stateChanges } from './state.ts'
import { timeMethods } from './time.ts'
import { walletAssetMethods } from './walletAsset.ts'
import { walletCallMethods } from './walletCalls.ts'
import { walletMethods } from './walletChain.ts'
import { walletPermissionMethods } from './walletPermissions.ts'

/** Methods of the dev chain; unknown to a node of any other chain. */
export const devMethods: readonly MethodDefinition<RpcBackend>[] = [
  ...transactionMethods,
  ...signingMethods,
  ...personalMethods,
  ...impersonation,
  ...snapshots,
  ...forkMethods,
  ...reorganisations,
  ...dumpMethods,
  ...transferMethods,
  ...miningMethods,
  ...timeMethods,
  ...blockSettings,
  ...stateChanges,
  ...tokenMethods,
  ...blobMethods,
  ...poolMethods,
  ...infoMethods,
  ...walletMethods,
  ...walletCallMethods,
  ...walletPermissionMethods,
  ...walletAssetMethods,
]
