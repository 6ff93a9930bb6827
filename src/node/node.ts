/**
 * A node with all its parts and endpoints, for hosts that serve them.
 * @module
 */
import { devMethods } from '../rpc/methods/dev/index.ts'
import { METHODS } from '../rpc/methods/index.ts'
import { type ComposedNode, composeNode, type NodeParts } from './composeNode.ts'
import { openContracts } from './contracts.ts'
import { createEndpoints, type OpenedEndpoints } from './endpoints.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { openTracing } from './tracingPart.ts'

export type { NodeGenesis, NodeHost } from './host.ts'

export interface IsoNode extends ComposedNode, OpenedEndpoints {
  readonly fetch: OpenedEndpoints['fetch']
}

const PARTS: NodeParts<OpenedEndpoints> = {
  methods: ({ isDev }) => ({ definitions: [...METHODS, ...(isDev ? devMethods : [])] }),
  openTracing,
  openContracts,
  openInterfaces: createEndpoints,
}

/**
 * Builds a node and starts it.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
 */
export function createNode(host: NodeHost, genesis: NodeGenesis, settings: NodeSettings): Promise<IsoNode> {
  return composeNode(host, genesis, settings, PARTS)
}
