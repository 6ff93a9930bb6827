/** A peer on the simulated network that sends what a test wants, without waiting for the other side. */
import { nodeFrameCiphers } from '../../../../adapters/server/crypto/frameCiphers.ts'
import { createSigner } from '../../../../src/base/ports/keySigner.ts'
import type { TcpSockets } from '../../../../src/base/ports/tcpSockets.ts'
import { bytesToHexUnprefixed } from '../../../../src/base/primitives/bytes.ts'
import type { EthGossip } from '../../../../src/net/eth/contract.ts'
import { encodeGossip } from '../../../../src/net/eth/gossipEncoding.ts'
import { parseEnode } from '../../../../src/net/p2p/enode.ts'
import { RlpxSession } from '../../../../src/net/p2p/rlpx/session.ts'
import type { SessionHost } from '../../../../src/net/p2p/rlpx/sessionContract.ts'
import { encodeEthMessage, type WireMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { localStatus } from '../../../../src/net/protocols/eth/handshake.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { ForkFilter } from '../../../../src/net/protocols/forkId.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { Life } from '../../../simulation/world.ts'
import { GENESIS_SECONDS } from '../../../support/nodes/genesisNode.ts'
import type { NetworkNode, NetworkWorld } from './networkNodes.ts'

const PORT = 30_303
const ETH68 = ethVersion(68) as EthVersion

export interface RawConnection {
  send(message: EthGossip): void
  /** The reason and the side that ended the connection. */
  readonly end: string | undefined
}

export class RawPeer {
  readonly enode: string
  readonly #world: NetworkWorld
  readonly #host: SessionHost
  readonly #tcp: TcpSockets

  /** @param address unused by nodes */
  constructor(world: NetworkWorld, address: string) {
    const life = new Life(world.world, address, (GENESIS_SECONDS + 1000) * 1000)
    const random = new SeededRandom(99)
    const signer = createSigner(random)
    this.#world = world
    this.#host = { signer, random, ciphers: nodeFrameCiphers, clock: life.clock, timers: life.timers }
    this.#tcp = world.network.attach(life, address).tcp
    this.enode = `enode://${bytesToHexUnprefixed(signer.publicKey)}@${address}:${PORT}`
  }

  /**
   * Connects, and waits until the connection is accepted or refused.
   * @param messages sent in one flight with the Status, which announces the head of the node
   */
  async dial(node: NetworkNode, messages: readonly EthGossip[]): Promise<RawConnection> {
    const { chain } = node.node
    const { id } = parseEnode(await node.rpc('net_enode'))
    const connection = await this.#world.complete(this.#tcp.connect({ host: node.host, port: PORT }))
    const capabilities = [{ name: 'eth', version: 68, length: ETH68.codeCount }]
    const opened: { write: (message: WireMessage) => void; end: string | undefined } = { write() {}, end: undefined }
    const session = new RlpxSession(this.#host, {
      connection,
      remoteId: id,
      local: { clientId: 'raw', port: PORT, capabilities },
      handlers: {
        onOpen: (_, agreed) => {
          const [eth] = agreed
          if (eth === undefined) throw new Error('eth/68 was not agreed')
          opened.write = ({ code, payload }) => void session.send(eth, code, payload)
          const forks = new ForkFilter(chain.config, { hash: chain.genesis.hash, timestamp: 0n })
          opened.write(encodeEthMessage(ETH68, localStatus(ETH68, { chain, forks, earliest: 0n })))
          for (const message of messages) opened.write(encodeGossip(ETH68, message))
        },
        onMessage: () => {},
        onClose: ({ reason, by }) => {
          opened.end = `${reason} by ${by}`
        },
      },
    })
    session.start()
    await this.#world.world.pass(1000)
    return {
      send: (message) => opened.write(encodeGossip(ETH68, message)),
      get end() {
        return opened.end
      },
    }
  }
}
