import type { MethodDefinition } from '../../method.ts'
import { type DiscoverBackend, rpcDiscover } from './rpcDiscover.ts'
import { rpcModules } from './rpcModules.ts'

export type { DiscoverBackend }

export const rpcMethods: readonly MethodDefinition<DiscoverBackend>[] = [rpcModules, rpcDiscover]
