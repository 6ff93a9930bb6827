/**
 * Permissioning: the rules that the options enable, for pool, chain and network.
 * @module
 */
import type { Chain } from '../chain/chain.ts'
import type { SenderChecks } from '../chain/senderCheck.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { Enode } from '../p2p/enode.ts'
import type { NetworkView, NodePermissions, PermissionControl } from '../permissioning/contract.ts'
import type { NodeContractVersion } from '../permissioning/nodeContract.ts'
import type { PoolPermission } from '../permissioning/poolPermission.ts'
import type { StateSource } from '../state/contract.ts'
import type { NodeHost } from './host.ts'
import type { NodeSettings } from './settings.ts'

export interface PermissionSettings {
  /** `path` undefined: the default file; no object: disabled */
  readonly accountsFile: { readonly path: string | undefined } | undefined
  readonly nodesFile: { readonly path: string | undefined } | undefined
  /** 20 bytes */
  readonly accountsContract: Uint8Array | undefined
  readonly nodesContract: { readonly address: Uint8Array; readonly version: NodeContractVersion } | undefined
  readonly bootnodes: readonly Enode[]
}

/** The rules of a node, before its chain is open. */
export interface Permissions {
  /** For `perm_*`. */
  readonly control: PermissionControl
  /** undefined: every account may send */
  readonly senders: SenderChecks | undefined
  /** undefined: every node may connect */
  readonly nodes: NodePermissions | undefined
  /** Connects the rules to the chain, once. */
  follow(chain: Chain, states: StateSource): ChainPermissions
}

export interface ChainPermissions {
  /** undefined: every account may send */
  readonly pool: PoolPermission | undefined
  /** Tells the rules of a contract about the network. */
  setNetwork(network: NetworkView): void
}

/**
 * @param staticNodes to which the node stays connected
 * @returns undefined when permissioning is off
 * @throws {NodeError} PERMISSIONS_FILE_INVALID, FIXED_NODES_NOT_ALLOWED, PERMISSIONS_UNAVAILABLE
 */
export async function openPermissions(
  host: Pick<NodeHost, 'permissionFiles' | 'signer' | 'logger' | 'residency'>,
  settings: Pick<NodeSettings, 'permissions' | 'p2pHost' | 'p2pPort'>,
  execution: ExecutionParts,
  staticNodes: readonly Enode[],
): Promise<Permissions | undefined> {
  if (settings.permissions === undefined) return undefined
  const { assemblePermissions } = await import('./assemblePermissions.ts')
  return assemblePermissions(host, { ...settings, permissions: settings.permissions }, execution, staticNodes)
}
