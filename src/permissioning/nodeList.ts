/**
 * The nodes that this node may be connected to, in a file.
 * @see docs/reference/permissioning.md section 4
 * @module
 */

import type { Logger } from '../base/ports/host.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { type Enode, enodeText, parseEnode } from '../net/p2p/enode.ts'
import type { AllowlistControl, PeerEndpoint } from './contract.ts'
import { endpointKey, hostKey } from './endpointKey.ts'
import { invalidFile, type PermissionFile } from './permissionFile.ts'
import { StoredList } from './storedList.ts'

export interface NodeListOptions {
  readonly file: PermissionFile
  readonly logger: Logger
  /** Boot nodes and static nodes: cannot be removed. */
  readonly fixedNodes: readonly Enode[]
  /** Called after each change. */
  readonly onChange: () => void
}

export class NodeList implements AllowlistControl {
  readonly #list: StoredList
  readonly #fixed: ReadonlyMap<string, Enode>
  readonly #onChange: () => void
  #allowed: ReadonlySet<string> = new Set()
  #allowedHosts: ReadonlySet<string> = new Set()

  constructor({ file, logger, fixedNodes, onChange }: NodeListOptions) {
    this.#list = new StoredList('nodes', file, logger)
    this.#fixed = new Map(fixedNodes.map((node) => [enodeText(node), node]))
    this.#onChange = onChange
  }

  get entries(): readonly string[] {
    return this.#list.entries
  }

  /** Compares node id, IP address and TCP port. */
  allows(peer: PeerEndpoint): boolean {
    return peer.port !== 0 && this.#allowed.has(endpointKey(peer))
  }

  /** Compares node id and IP address, where the port is not known. */
  allowsHost(peer: Pick<PeerEndpoint, 'id' | 'host'>): boolean {
    return this.#allowedHosts.has(hostKey(peer))
  }

  /**
   * @returns the list of the file in normal form, which is not in force yet
   * @throws {NodeError} PERMISSIONS_FILE_INVALID
   */
  read(): readonly string[] {
    return this.#list.read().map((entry) => {
      try {
        return enodeText(parseEnode(entry))
      } catch (error) {
        throw invalidFile(`Invalid node ${entry}: ${error instanceof Error ? error.message : String(error)}`)
      }
    })
  }

  load(entries: readonly string[]): void {
    this.#list.load(entries)
    this.#changed()
  }

  /** @throws {NodeError} FIXED_NODES_NOT_ALLOWED when the list lacks boot nodes or static nodes */
  requireFixedNodes(): void {
    const missing = [...this.#fixed].filter(([, node]) => !this.#allowed.has(endpointKey(node))).map(([text]) => text)
    if (missing.length === 0) return
    const message = `Specified node(s) not in nodes-allowlist [${missing.join(', ')}]`
    throw new NodeError({ code: 'FIXED_NODES_NOT_ALLOWED' }, message)
  }

  add(given: readonly unknown[]): void {
    const added = nodes(given)
    const present = new Set(this.entries)
    if (added.some((node) => present.has(node))) throw refused('EXISTING_ENTRY', 'the list has the node')
    this.#list.change([...this.entries, ...added], () => this.#changed())
  }

  remove(given: readonly unknown[]): void {
    const removed = nodes(given)
    if (removed.some((node) => this.#fixed.has(node))) {
      throw refused('FIXED_NODE_CANNOT_BE_REMOVED', 'boot nodes and static nodes cannot be removed')
    }
    const remaining = [...this.entries]
    for (const node of removed) {
      const at = remaining.indexOf(node)
      if (at < 0) throw refused('MISSING_ENTRY', 'the list does not have the node')
      remaining.splice(at, 1)
    }
    this.#list.change(remaining, () => this.#changed())
  }

  #changed(): void {
    const enodes = this.entries.map(parseEnode)
    this.#allowed = new Set(enodes.map(endpointKey))
    this.#allowedHosts = new Set(enodes.map(hostKey))
    this.#onChange()
  }
}

/** @returns URLs in normal form */
function nodes(given: readonly unknown[]): readonly string[] {
  if (given.length === 0) throw refused('EMPTY_ENTRY', 'no node is given')
  if (new Set(given).size < given.length) throw refused('DUPLICATED_ENTRY', 'a node is given twice')
  return given.map((entry) => {
    try {
      return enodeText(parseEnode(String(entry)))
    } catch (error) {
      throw refused('INVALID_ENTRY', error instanceof Error ? error.message : 'not an enode URL')
    }
  })
}

function refused(reason: string, message: string): NodeError {
  return new NodeError({ code: `NODE_ALLOWLIST_${reason}` }, message)
}
