/**
 * The rules of permissioning, assembled. Loaded only when permissioning is on.
 * @module
 */

import { NodeError } from '../../base/primitives/errors.ts'
import { storedAncestorHashes } from '../../chain/ancestorHashes.ts'
import type { Chain } from '../../chain/chain.ts'
import type { SenderCheckContext, SenderChecks } from '../../chain/senderCheck.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { Enode } from '../../net/p2p/enode.ts'
import { AccountRules } from '../../permissioning/accountRules.ts'
import type { NetworkView, NodePermissions, PermissionControl } from '../../permissioning/contract.ts'
import { ContractCaller } from '../../permissioning/contractCaller.ts'
import { LocalRules } from '../../permissioning/localRules.ts'
import { NodeContract } from '../../permissioning/nodeContract.ts'
import { NodeRules } from '../../permissioning/nodeRules.ts'
import { type PoolPermission, poolPermission } from '../../permissioning/poolPermission.ts'
import type { StateRoot, StateSource } from '../../state/contract.ts'
import type { NodeHost } from '../host.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import type { PermissionSettings } from '../settings/permissionSettings.ts'

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
  /** Gives the rules of a contract a view of the network. */
  setNetwork(network: NetworkView): void
}

type Host = Pick<NodeHost, 'permissionFiles' | 'signer' | 'logger' | 'residency'>
type Settings = Pick<NodeSettings, 'p2pHost' | 'p2pPort'> & { readonly permissions: PermissionSettings }
type ContextAtHead = () => SenderCheckContext | undefined

/** @see openPermissions */
export function assemblePermissions(
  host: Host,
  settings: Settings,
  execution: ExecutionDeps,
  staticNodes: readonly Enode[],
): Permissions {
  const { accountsFile, nodesFile, accountsContract, nodesContract, bootnodes } = settings.permissions
  // Set when the chain is open.
  const head: { context: ContextAtHead } = { context: () => undefined }
  const changes = { nodes: () => {} }
  const local = localRules(host, settings.permissions, staticNodes, () => changes.nodes())
  const accounts =
    accountsFile === undefined && accountsContract === undefined
      ? undefined
      : new AccountRules({
          list: local.accounts,
          contract: accountsContract && { address: accountsContract, caller: new ContractCaller(execution, true) },
        })
  const contract =
    nodesContract &&
    new NodeContract({
      ...nodesContract,
      caller: new ContractCaller(execution, false),
      contextAtHead: () => head.context(),
      onChange: () => changes.nodes(),
    })
  const nodes =
    nodesFile === undefined && contract === undefined
      ? undefined
      : new NodeRules({
          list: local.nodes,
          contract,
          bootnodes,
          staticNodes,
        })
  changes.nodes = () => nodes?.changed()
  return {
    control: local,
    senders: accounts,
    nodes,
    follow: (chain, states) => {
      head.context = contextsAtHead(chain, states)
      if (contract !== undefined) {
        chain.events.on('head', () => {
          contract.refresh()
          nodes?.changed()
        })
      }
      return {
        pool: accounts && poolPermission(accounts, () => head.context(), host.residency),
        setNetwork: (network) => {
          if (nodes !== undefined) nodes.network = network
        },
      }
    },
  }
}

function localRules(
  { permissionFiles: files, logger }: Host,
  { accountsFile, nodesFile, bootnodes }: PermissionSettings,
  staticNodes: readonly Enode[],
  onNodesChange: () => void,
): LocalRules {
  if (files === undefined && (accountsFile !== undefined || nodesFile !== undefined)) {
    throw new NodeError({ code: 'PERMISSIONS_UNAVAILABLE' }, 'allowlists in files need a host with files')
  }
  return new LocalRules({
    files: files as NonNullable<typeof files>,
    accountsPath: accountsFile && files?.resolve(accountsFile.path),
    nodesPath: nodesFile && files?.resolve(nodesFile.path),
    fixedNodes: [...bootnodes, ...staticNodes],
    logger: logger.child('permissions'),
    onNodesChange,
  })
}

/** @returns a function that returns one context per head; undefined when the state of the head is not available */
function contextsAtHead(chain: Chain, states: StateSource): () => SenderCheckContext | undefined {
  let last: SenderCheckContext | undefined
  let lastRoot: StateRoot | undefined
  return () => {
    const { head } = chain
    if (head.stateRoot.isMissing === true) return undefined
    if (last?.parent === head && lastRoot === head.stateRoot) return last
    lastRoot = head.stateRoot
    last = {
      parent: head,
      state: () => states.mutable(head) as NonNullable<ReturnType<StateSource['mutable']>>,
      blockHash: storedAncestorHashes(chain, head),
    }
    return last
  }
}
