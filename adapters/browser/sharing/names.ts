/**
 * Names of the locks and channels of a shared node. `node` is the name of the node: that of its database.
 * @module
 */

/** Held by the worker that has the node open. */
export const nodeLock = (node: string): string => `isonode-node:${node}`
/** Held by the tab that starts the worker, where there are no shared workers. */
export const leaderLock = (node: string): string => `isonode-leader:${node}`
/** Held by a worker or a tab while it lives. */
export const lifeLock = (id: string): string => `isonode-life:${id}`
/** All tabs and workers of a node. */
export const commonChannel = (node: string): string => `isonode:${node}`
/** One tab and the worker with the node. */
export const tabChannel = (node: string, tab: string): string => `isonode:${node}:${tab}`
/** A shared worker. */
export const workerName = (node: string): string => `isonode:${node}`

/** The options that decide which node a tab shares. */
export interface NodeChoice {
  readonly dataPath?: string | undefined
  readonly storage?: string | undefined
  readonly genesis?: string | Readonly<Record<string, unknown>> | undefined
  readonly fork?: object | undefined
}

/** The same for all tabs that give the same options. */
export function nodeName({ dataPath, storage, genesis, fork }: NodeChoice): string {
  if (dataPath !== undefined) return dataPath
  if (fork !== undefined) return 'isonode/fork'
  if (storage === 'memory') return 'isonode/memory'
  return genesis === undefined ? 'isonode/dev' : `isonode/genesis-${chainIdOf(genesis)}`
}

/** @returns undefined for what is no genesis file, which the node itself refuses */
function chainIdOf(genesis: string | Readonly<Record<string, unknown>>): unknown {
  try {
    const { config } = (typeof genesis === 'string' ? JSON.parse(genesis) : genesis) as {
      readonly config?: { readonly chainId?: unknown }
    }
    return config?.chainId
  } catch {
    return undefined
  }
}
