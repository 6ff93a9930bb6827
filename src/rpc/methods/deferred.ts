/**
 * Methods whose code a page loads when one of them is called.
 * @module
 */
import { loadRecovery } from '../../base/primitives/recovery.ts'
import { loadSigningCurve } from '../../base/primitives/signingCurve.ts'
import type { RpcBackend } from '../backend.ts'
import { loadErrorTable } from '../errorTable.ts'
import type { MethodDefinition } from '../method.ts'
import type { DeferredMethods } from '../registry.ts'

type Methods = readonly MethodDefinition<RpcBackend>[]
type Deferred = DeferredMethods<RpcBackend>

export interface DeferredOptions {
  /** The dev chain has further methods. */
  readonly isDev: boolean
  /** Loads what makes `tracing` of the backend work. */
  loadTracing(): Promise<void>
  /** Loads what makes `contracts` of the backend work. */
  loadContracts(): Promise<void>
}

/** All methods except those of CORE_METHODS. */
export function deferredMethods({ isDev, loadTracing, loadContracts }: DeferredOptions): readonly Deferred[] {
  const further: Deferred = {
    prefixes: ['eth_'],
    groups: ['ETH'],
    load: async () => (await import('./eth/further.ts')).furtherEthMethods,
  }
  const parts = [
    further,
    ...(isDev ? [DEV] : []),
    ...tracingMethods(loadTracing),
    contractMethods(loadTracing, loadContracts),
    ...OTHERS,
  ]
  return parts.map((part) => ({ ...part, load: () => withSupport(part.load) }))
}

/** The methods come with the rows of their errors, and with the recovery of senders. */
async function withSupport(load: Deferred['load']): Promise<Methods> {
  const [methods] = await Promise.all([load(), loadErrorTable(), loadRecovery()])
  return methods
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
    {
      prefixes: ['ots_', 'erigon_'],
      groups: ['OTS'],
      load: withTracing(async () => (await import('./ots/index.ts')).otsMethods),
    },
  ]
}

function contractMethods(...parts: readonly (() => Promise<void>)[]): Deferred {
  return {
    prefixes: ['isonode_'],
    groups: ['ETH', 'ISONODE'],
    load: async () => {
      const [{ isonodeMethods }] = await Promise.all([import('./isonode/index.ts'), ...parts.map((load) => load())])
      return isonodeMethods
    },
  }
}

const OTHERS: readonly Deferred[] = [
  {
    prefixes: ['net_'],
    groups: ['NET'],
    load: async () => (await import('./net/index.ts')).netMethods,
  },
  {
    prefixes: ['web3_'],
    groups: ['WEB3'],
    load: async () => (await import('./web3/index.ts')).web3Methods,
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
