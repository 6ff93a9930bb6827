import { type ApiGroup, defineMethod, type JsonSchema, type MethodDefinition, result } from '../../method.ts'

export interface DiscoverBackend {
  /** Returns the OpenRPC document of an endpoint with these groups. */
  openRpc(groups: ReadonlySet<ApiGroup>): JsonSchema | Promise<JsonSchema>
}

/** @see OpenRPC specification 1.3.2, "Service Discovery Method" */
export const rpcDiscover: MethodDefinition<DiscoverBackend> = defineMethod({
  name: 'rpc.discover',
  group: undefined,
  summary: "OpenRPC document of the endpoint's methods.",
  params: [],
  result: result('document', {
    schema: { title: 'OpenRpcDocument', type: 'object', required: ['openrpc', 'info', 'methods'] },
    parse: (value) => value as JsonSchema,
    serialize: (document: JsonSchema) => document,
  }),
  handler: (backend: DiscoverBackend, _params, { groups }) => backend.openRpc(groups),
})
