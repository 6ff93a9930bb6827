/**
 * Permissioning: the rules that the options enable, for pool, chain and network.
 * @module
 */
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { Enode } from '../../net/p2p/enode.ts'
import type { NodeHost } from '../host.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import type { Permissions } from './assemblePermissions.ts'

/**
 * @param staticNodes to which the node stays connected
 * @returns undefined when permissioning is off
 * @throws {NodeError} PERMISSIONS_FILE_INVALID, FIXED_NODES_NOT_ALLOWED, PERMISSIONS_UNAVAILABLE
 */
export async function openPermissions(
  host: Pick<NodeHost, 'permissionFiles' | 'signer' | 'logger' | 'residency'>,
  settings: Pick<NodeSettings, 'permissions' | 'p2pHost' | 'p2pPort'>,
  execution: ExecutionDeps,
  staticNodes: readonly Enode[],
): Promise<Permissions | undefined> {
  if (settings.permissions === undefined) return undefined
  const { assemblePermissions } = await import('./assemblePermissions.ts')
  return assemblePermissions(host, { ...settings, permissions: settings.permissions }, execution, staticNodes)
}
