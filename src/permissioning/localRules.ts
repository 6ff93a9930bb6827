/**
 * The allowlists in files: one for accounts, one for nodes, in one file or two.
 * @module
 */

import type { Logger } from '../base/ports/host.ts'
import type { PermissionFiles } from '../base/ports/permissionFiles.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Enode } from '../net/p2p/enode.ts'
import { AccountList } from './accountList.ts'
import type { PermissionControl } from './contract.ts'
import { NodeList } from './nodeList.ts'
import { PermissionFile } from './permissionFile.ts'

export interface LocalRulesOptions {
  readonly files: PermissionFiles
  /** Absolute paths; undefined: there is no such list */
  readonly accountsPath: string | undefined
  readonly nodesPath: string | undefined
  /** Boot nodes and static nodes. */
  readonly fixedNodes: readonly Enode[]
  readonly logger: Logger
  /** Called when the list of nodes has changed. */
  readonly onNodesChange: () => void
}

export class LocalRules implements PermissionControl {
  readonly accounts: AccountList | undefined
  readonly nodes: NodeList | undefined
  readonly #logger: Logger

  /** @throws {NodeError} PERMISSIONS_FILE_INVALID, FIXED_NODES_NOT_ALLOWED */
  constructor({ files, accountsPath, nodesPath, fixedNodes, logger, onNodesChange }: LocalRulesOptions) {
    this.#logger = logger
    if (accountsPath !== undefined) this.accounts = new AccountList(new PermissionFile(files, accountsPath), logger)
    if (nodesPath !== undefined) {
      const file = new PermissionFile(files, nodesPath)
      this.nodes = new NodeList({ file, logger, fixedNodes, onChange: onNodesChange })
    }
    this.#load()
    this.nodes?.requireFixedNodes()
  }

  reload(): void {
    try {
      this.#load()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#logger.warn('could not reload the allowlists', { reason })
      throw new NodeError({ code: 'ALLOWLIST_RELOAD_ERROR' }, reason, { cause: error })
    }
  }

  /** Reads both lists before any changes. */
  #load(): void {
    const accounts = this.accounts?.read()
    const nodes = this.nodes?.read()
    if (accounts !== undefined) this.accounts?.load(accounts)
    if (nodes !== undefined) this.nodes?.load(nodes)
  }
}
