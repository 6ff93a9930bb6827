/**
 * The parts of a node in a page: most of their code is loaded when it is used.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import { CORE_METHODS } from '../rpc/methods/core.ts'
import { deferredMethods } from '../rpc/methods/deferred.ts'
import type { Interfaces, NodeParts } from './composeNode.ts'
import type { OpenContracts } from './contracts.ts'
import type { EndpointDeps, HttpEndpoint } from './endpoints.ts'
import type { RpcInterface } from './rpcInterface.ts'
import type { OpenTracing } from './tracingPart.ts'

/** @returns new parts for one node */
export function pageParts(): NodeParts<Interfaces> {
  let openTracing: OpenTracing | undefined
  let openContracts: OpenContracts | undefined
  const loadTracing = async (): Promise<void> => {
    openTracing = (await import('./tracingPart.ts')).openTracing
  }
  const loadContracts = async (): Promise<void> => {
    openContracts = (await import('./contracts.ts')).openContracts
  }
  return {
    methods: ({ isDev }) => ({
      definitions: CORE_METHODS,
      deferred: deferredMethods({ isDev, loadTracing, loadContracts }),
    }),
    openTracing: (...services) => {
      if (openTracing === undefined) throw new NodeError({ code: 'METHOD_NOT_LOADED' }, 'traces are not loaded')
      return openTracing(...services)
    },
    openContracts: (...services) => {
      if (openContracts === undefined) throw new NodeError({ code: 'METHOD_NOT_LOADED' }, 'contracts are not loaded')
      return openContracts(...services)
    },
    openInterfaces: deferredHttp,
  }
}

/** Loads HTTP for the first request. After a failure, the next request retries. */
function deferredHttp(deps: EndpointDeps, rpc: RpcInterface): Interfaces {
  let opened: HttpEndpoint['fetch'] | undefined
  const open = async (): Promise<HttpEndpoint['fetch']> => {
    const { createEndpoints } = await import('./endpoints.ts')
    opened ??= createEndpoints(deps, rpc).fetch
    return opened
  }
  return { fetch: async (request, connection) => (opened ?? (await open()))(request, connection) }
}
