import { hexToBytes } from '../../base/primitives/bytes.ts'
import type { NodeOptions } from '../../config/options.ts'
import { type Enode, parseEnode } from '../../net/p2p/enode.ts'
import type { NodeContractVersion } from '../../permissioning/nodeContract.ts'

export interface PermissionSettings {
  /** `path` undefined: the default file; no object: disabled */
  readonly accountsFile: { readonly path: string | undefined } | undefined
  readonly nodesFile: { readonly path: string | undefined } | undefined
  /** 20 bytes */
  readonly accountsContract: Uint8Array | undefined
  readonly nodesContract: { readonly address: Uint8Array; readonly version: NodeContractVersion } | undefined
  readonly bootnodes: readonly Enode[]
}

/**
 * The command line has checked addresses and version.
 * @returns undefined when permissioning is off
 */
export function permissionSettings(options: NodeOptions): PermissionSettings | undefined {
  const accounts = options['permissions-accounts-contract-enabled'] && options['permissions-accounts-contract-address']
  const nodes = options['permissions-nodes-contract-enabled'] && options['permissions-nodes-contract-address']
  const hasAccountsFile = options['permissions-accounts-config-file-enabled']
  const hasNodesFile = options['permissions-nodes-config-file-enabled']
  if (!accounts && !nodes && !hasAccountsFile && !hasNodesFile) return undefined
  const version = options['permissions-nodes-contract-version'] === 2 ? 2 : 1
  return {
    accountsFile: hasAccountsFile ? { path: options['permissions-accounts-config-file'] } : undefined,
    nodesFile: hasNodesFile ? { path: options['permissions-nodes-config-file'] } : undefined,
    accountsContract: accounts ? hexToBytes(accounts) : undefined,
    nodesContract: nodes ? { address: hexToBytes(nodes), version } : undefined,
    bootnodes: (options.bootnodes ?? []).map(parseEnode),
  }
}
