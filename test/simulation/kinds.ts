/** Every kind of simulated network whose runs follow from a seed. */
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import { runLyingNetwork } from '../unit/net/gossip/lyingNetwork.ts'
import { runHostilePeers } from '../unit/net/sync/hostilePeers.ts'
import { runAbstractBft } from './bft/abstractBft.ts'
import { runInboxFlood } from './bft/inboxFlood.ts'
import { loadNodeModules, runLateCut, runRealBft, runTransitions } from './bft/realBft.ts'
import { runCliqueNodes } from './cliqueNodes.ts'
import { loadModules } from './loadModules.ts'
import { runPeerNetwork } from './peerNetwork.ts'
import { installSimulationCrypto } from './sharedRecovery.ts'
import { runThreeNodes } from './threeNodes.ts'

export interface SimulationKind {
  /** The test that replays a seed with SIM_SEED. */
  readonly file: string
  /** Loads what a run would otherwise wait for in real time. @returns runs a seed */
  open(): Promise<(seed: number) => SeedReport | Promise<SeedReport>>
}

interface SeedReport {
  /** The violated invariant; undefined: none. */
  readonly problem: string | undefined
}

export const SIMULATIONS = {
  agreement: {
    file: 'test/simulation/bft/abstractBft.test.ts',
    open: async () => (seed) => runAbstractBft({ seed }),
  },
  validators: {
    file: 'test/simulation/bft/realBft.test.ts',
    open: async () => {
      await installSimulationCrypto()
      const evmModule = await compileNativeModule()
      await loadNodeModules(evmModule)
      return (seed) => runRealBft({ seed, evmModule })
    },
  },
  lateValidator: {
    file: 'test/simulation/bft/lateValidator.test.ts',
    open: async () => {
      await installSimulationCrypto()
      const evmModule = await compileNativeModule()
      await loadNodeModules(evmModule)
      return (seed) => runLateCut({ seed, evmModule })
    },
  },
  transitions: {
    file: 'test/simulation/bft/transitions.test.ts',
    open: async () => {
      await installSimulationCrypto()
      const evmModule = await compileNativeModule()
      await loadNodeModules(evmModule)
      return (seed) => runTransitions(seed, evmModule)
    },
  },
  inbox: {
    file: 'test/simulation/bft/inboxFlood.test.ts',
    open: async () => {
      await installSimulationCrypto()
      return (seed) => runInboxFlood(seed)
    },
  },
  clique: {
    file: 'test/simulation/cliqueNodes.test.ts',
    open: async () => {
      await installSimulationCrypto()
      await loadModules(() => runCliqueNodes({ seed: 0 }))
      return (seed) => runCliqueNodes({ seed })
    },
  },
  hostilePeers: {
    file: 'test/unit/net/sync/hostilePeers.test.ts',
    open: async () => {
      await loadModules(() => runHostilePeers(0))
      return runHostilePeers
    },
  },
  nodes: {
    file: 'test/simulation/threeNodes.test.ts',
    open: async () => {
      await loadModules(() => runThreeNodes({ seed: 0 }))
      return (seed) => runThreeNodes({ seed })
    },
  },
  lyingPeers: {
    file: 'test/unit/net/gossip/lyingNetwork.test.ts',
    open: async () => async (seed) => {
      const { problem, wronged } = await runLyingNetwork(seed)
      return { problem: problem ?? (wronged.length > 0 ? `honest peers were dropped: ${wronged}` : undefined) }
    },
  },
  connections: {
    file: 'test/simulation/peerNetwork.test.ts',
    open: async () => {
      await loadModules(() => runCliqueNodes({ seed: 0 }))
      return runPeerNetwork
    },
  },
} as const satisfies Record<string, SimulationKind>

export type SimulationName = keyof typeof SIMULATIONS
