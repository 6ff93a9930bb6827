/**
 * Methods whose code a page loads when one of them is called.
 * @module
 */
import { loadSigningCurve } from '../../base/primitives/signingCurve.ts'
import type { RpcBackend } from '../backend.ts'
import type { MethodDefinition } from '../method.ts'
import type { DeferredMethods } from '../registry.ts'

type Methods = readonly MethodDefinition<RpcBackend>[]
type Deferred = DeferredMethods<RpcBackend>

export interface DeferredOptions {
  /** The dev chain has further methods. */
  readonly isDev: boolean
  /** Loads what makes `tracing` of the backend work. */
  loadTracing(): Promise<void>
}

/** All methods except those of CORE_METHODS. */
export function deferredMethods({ isDev, loadTracing }: DeferredOptions): readonly Deferred[] {
  const further: Deferred = {
    prefixes: ['eth_'],
    groups: ['ETH'],
    load: async () => (await import('./eth/further.ts')).furtherEthMethods,
  }
  return [further, ...(isDev ? [DEV] : []), ...tracingMethods(loadTracing), ...OTHERS]
}

const DEV: Deferred = {
  prefixes: ['eth_', 'personal_', 'evm_', 'anvil_', 'hardhat_', 'ganache_', 'isonode_', 'wallet_'],
  groups: ['ETH', 'DEV'],
  load: async () => {
    const [{ devMethods }] = await Promise.all([import('./dev/index.ts'), loadSigningCurve()])
    return devMethods
  },
}

function tracingMethods(loadTracing: DeferredOptions['loadTracing']): readonly Deferred[] {
  const withTracing = (load: () => Promise<Methods>) => async (): Promise<Methods> => {
    const [methods] = await Promise.all([load(), loadTracing()])
    return methods
  }
  return [
    {
      prefixes: ['debug_'],
      groups: ['DEBUG'],
      load: withTracing(async () => (await import('./debug/index.ts')).debugMethods),
    },
    {
      prefixes: ['trace_'],
      groups: ['TRACE'],
      load: withTracing(async () => (await import('./trace/index.ts')).traceMethods),
    },
  ]
}

const OTHERS: readonly Deferred[] = [
  {
    prefixes: ['isonode_'],
    groups: ['ETH'],
    load: async () => (await import('./isonode/index.ts')).isonodeMethods,
  },
  {
    prefixes: ['admin_'],
    groups: ['ADMIN'],
    load: async () => (await import('./admin/index.ts')).adminMethods,
  },
  {
    prefixes: ['plugins_'],
    groups: ['PLUGINS', 'ADMIN'],
    load: async () => (await import('./plugins/index.ts')).pluginMethods,
  },
  {
    prefixes: ['txpool_'],
    groups: ['TXPOOL'],
    load: async () => (await import('./txpool/index.ts')).txpoolMethods,
  },
  {
    prefixes: ['miner_'],
    groups: ['MINER'],
    load: async () => (await import('./miner/index.ts')).minerMethods,
  },
  {
    prefixes: ['perm_'],
    groups: ['PERM'],
    load: async () => (await import('./perm/index.ts')).permMethods,
  },
  {
    prefixes: ['clique_'],
    groups: ['CLIQUE'],
    load: async () => (await import('./clique/index.ts')).cliqueMethods,
  },
  {
    prefixes: ['ibft_'],
    groups: ['IBFT'],
    load: async () => (await import('./bft/index.ts')).ibftMethods,
  },
  {
    prefixes: ['qbft_'],
    groups: ['QBFT'],
    load: async () => (await import('./bft/index.ts')).qbftMethods,
  },
  {
    prefixes: ['eea_'],
    groups: ['EEA'],
    load: async () => (await import('./eea/index.ts')).eeaMethods,
  },
  {
    prefixes: ['priv_', 'privx_'],
    groups: ['PRIV', 'EEA'],
    load: async () => (await import('./priv/index.ts')).privMethods,
  },
]
