/** Whole nodes that are connected by simulated TCP, in virtual time. */
import { nodeFrameCiphers } from '../../../../adapters/server/crypto/frameCiphers.ts'
import { InlineRecovery } from '../../../../src/base/ports/inlineRecovery.ts'
import { createSigner } from '../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { parseGenesisFile } from '../../../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../../../src/config/options.ts'
import { createNode, type IsoNode, type NodeHost } from '../../../../src/node/node.ts'
import { settingsOf } from '../../../../src/node/settings/nodeSettings.ts'
import type { Provider } from '../../../../src/rpc/provider.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { FAIR_NETWORK, SimulatedNetwork } from '../../../simulation/network.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { Life, SimulatedWorld } from '../../../simulation/world.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../../support/nodes/genesisNode.ts'

export interface NetworkNode {
  readonly node: IsoNode
  readonly life: Life
  readonly host: string
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
}

const loaded = new Map<string, Promise<unknown>>()

/** Nodes load some modules when they first need them, in real time, for which virtual time would not wait. */
function loadModules(genesis: string): Promise<unknown> {
  const loading =
    loaded.get(genesis) ??
    Promise.all([
      import('../../../../src/node/network/nodeNetwork.ts'),
      import('../../../../src/node/network/namedPeers.ts'),
      import('../../../../src/node/metricsParts.ts'),
      import('../../../../src/node/permissions/assemblePermissions.ts'),
      openGenesisNode(genesis, {}, { signer: createSigner(new SeededRandom(0)) }).then((node) => node.close()),
    ])
  loaded.set(genesis, loading)
  return loading
}

/** Nodes of one chain. */
export class NetworkWorld {
  readonly world: SimulatedWorld
  readonly network: SimulatedNetwork
  readonly nodes: NetworkNode[] = []
  readonly #genesis: string

  /** @param maxEvents of the world; default: that of a short run */
  constructor(genesis: string, seed = 1, maxEvents?: number) {
    this.#genesis = genesis
    this.world = new SimulatedWorld(seed, maxEvents)
    this.network = new SimulatedNetwork(this.world, { ...FAIR_NETWORK, stall: 0, cut: 0, loss: 0, duplication: 0 })
  }

  /** Starts a node with the address 10.0.0.n, that serves clients. */
  async start(options: Partial<NodeOptions> = {}, parts: Partial<NodeHost> = {}): Promise<NetworkNode> {
    const count = this.nodes.length + 1
    const host = `10.0.0.${count}`
    const life = new Life(this.world, host, (GENESIS_SECONDS + 1000) * 1000)
    const { clock, timers, yieldToHost } = life
    const random = new SeededRandom(count)
    const services: NodeHost = {
      store: new MemoryStore(),
      clock,
      timers,
      random,
      yieldToHost,
      logger: silentLogger,
      senders: new InlineRecovery({ clock, yieldToHost }),
      signer: createSigner(random),
      platform: 'test',
      loadFrameCiphers: async () => nodeFrameCiphers,
      ...this.network.attach(life, host),
      ...parts,
    }
    const text = this.#genesis
    const chosen = {
      ...defaultOptions(false),
      'p2p-host': host,
      'p2p-interface': host,
      'discovery-enabled': false,
      ...options,
    }
    const settings = settingsOf(chosen, false)
    await loadModules(text)
    const node = await this.complete(createNode(services, { genesis: parseGenesisFile(text), text }, settings))
    await this.complete(node.goOnline())
    const provider: Provider = node.openProvider()
    const started: NetworkNode = {
      node,
      life,
      host,
      rpc: (method, ...params) => this.complete(provider.request({ method, params }) as Promise<never>),
    }
    this.nodes.push(started)
    return started
  }

  /** Connects a node with others. */
  async connect(from: NetworkNode, ...others: readonly NetworkNode[]): Promise<void> {
    for (const other of others) await from.rpc('admin_addPeer', await other.rpc('net_enode'))
    await this.world.pass(1000)
  }

  /** Runs virtual time until the promise has settled. */
  async complete<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const settled = promise.finally(() => {
      isSettled = true
    })
    settled.catch(() => {})
    if (!(await this.world.run(() => isSettled, Number.POSITIVE_INFINITY))) throw new Error('nothing happens any more')
    return settled
  }

  async close(): Promise<void> {
    await this.complete(Promise.all(this.nodes.map(({ node }) => node.close())))
  }
}
