import type { RpcBackend } from '../backend.ts'
import type { MethodDefinition } from '../method.ts'
import { adminMethods } from './admin/index.ts'
import { ibftMethods, qbftMethods } from './bft/index.ts'
import { cliqueMethods } from './clique/index.ts'
import { debugMethods } from './debug/index.ts'
import { eeaMethods } from './eea/index.ts'
import { ethMethods } from './eth/index.ts'
import { isonodeMethods } from './isonode/index.ts'
import { minerMethods } from './miner/index.ts'
import { netMethods } from './net/index.ts'
import { otsMethods } from './ots/index.ts'
import { permMethods } from './perm/index.ts'
import { pluginMethods } from './plugins/index.ts'
import { privMethods } from './priv/index.ts'
import { type DiscoverBackend, rpcMethods } from './rpc/index.ts'
import { traceMethods } from './trace/index.ts'
import { txpoolMethods } from './txpool/index.ts'
import { web3Methods } from './web3/index.ts'

/** Every method of the node. */
export const METHODS: readonly MethodDefinition<RpcBackend & DiscoverBackend>[] = [
  ...adminMethods,
  ...ethMethods,
  ...netMethods,
  ...web3Methods,
  ...debugMethods,
  ...minerMethods,
  ...otsMethods,
  ...permMethods,
  ...pluginMethods,
  ...traceMethods,
  ...txpoolMethods,
  ...cliqueMethods,
  ...ibftMethods,
  ...qbftMethods,
  ...eeaMethods,
  ...privMethods,
  ...isonodeMethods,
  ...rpcMethods,
]
