import { afterEach, expect, it } from 'vitest'
import type { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { type BftListener, type BftNetwork, NO_BFT_NETWORK } from '../../../src/consensus/bft/messages/packets.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { addressOf, SIGNERS } from '../../support/chains/bftHeaders.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { bftGenesis, importOnHead } from '../../support/nodes/bftNode.ts'
import { cliqueGenesis } from '../../support/nodes/cliqueNode.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../support/nodes/genesisNode.ts'

const opened: IsoNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

/** Nodes that exchange their messages at once, in virtual time. */
class Nodes {
  readonly time = new FakeTime((GENESIS_SECONDS + 1) * 1000)
  readonly lines: string[] = []
  readonly #listeners = new Map<number, BftListener>()

  /** @param index of its key in SIGNERS; `lines` has the log of all but the second */
  async open(text: string, index: number): Promise<IsoNode> {
    const signer = SIGNERS[index] as KeySigner
    const write = (message: string): void => void (index === 1 || this.lines.push(message))
    const logger = { ...silentLogger, warn: write, info: write, child: () => logger }
    const host = { clock: this.time, timers: this.time, bftNetwork: this.#network(index), logger, signer }
    const node = await openGenesisNode(text, { 'p2p-enabled': false, 'metrics-enabled': true }, host)
    opened.push(node)
    await node.goOnline()
    return node
  }

  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.time.advance(1000)
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve))
    }
  }

  #network(index: number): BftNetwork {
    return {
      ...NO_BFT_NETWORK,
      open: (listener) => void this.#listeners.set(index, listener),
      send: (packet) => {
        for (const [other, listener] of this.#listeners) if (other !== index) listener.receive(packet, String(index))
      },
    }
  }
}

async function readiness(node: IsoNode): Promise<unknown> {
  const answer = await node.fetch(new Request('http://127.0.0.1/readiness?minPeers=0'))
  return [answer.status, await answer.json()]
}

const STANDSTILL = 'the chain stands still: '

it('a validator without a quorum says who is silent, until blocks arrive again', async () => {
  const nodes = new Nodes()
  const genesis = bftGenesis({ qbft: { blockperiodseconds: 1, requesttimeoutseconds: 2 } }, 4)
  const node = await nodes.open(genesis, 0)
  await nodes.open(genesis, 1)
  await nodes.pass(9)
  expect(await readiness(node)).toEqual([200, { status: 'UP' }])
  await nodes.pass(4)
  const silent = [2, 3].map((index) => bytesToHex(addressOf(index))).join(', ')
  const cause = `2 of 4 validators heard, 3 needed; silent: ${silent}`
  expect(await readiness(node)).toEqual([503, { status: 'DOWN', reason: `no block for 13 s: ${cause}` }])
  await nodes.pass(70)
  expect(nodes.lines.filter((line) => line.startsWith(STANDSTILL))).toEqual([STANDSTILL + cause])
  await importOnHead(node.chain, 0, [0, 1, 2])
  expect(await readiness(node)).toEqual([200, { status: 'UP' }])
  expect(nodes.lines).toContain('the chain continues')
})

it('a node that does not validate says whether it has peers', async () => {
  const nodes = new Nodes()
  const node = await nodes.open(bftGenesis({ qbft: { blockperiodseconds: 2, requesttimeoutseconds: 4 } }, 4), 6)
  await nodes.pass(19)
  expect(nodes.lines).toEqual([])
  await nodes.pass(2)
  expect(nodes.lines).toEqual([`${STANDSTILL}no peers`])
  expect(await readiness(node)).toEqual([503, { status: 'DOWN', reason: 'no block for 21 s: no peers' }])
})

it.each([
  ['with empty blocks', { blockperiodseconds: 15 }, [`${STANDSTILL}no peers`]],
  ['with blocks for transactions only', { blockperiodseconds: undefined, period: 0 }, []],
  ['without empty blocks', { blockperiodseconds: 15, createemptyblocks: false }, []],
])('a chain of Clique %s', async (_, clique, expected) => {
  const nodes = new Nodes()
  await nodes.open(cliqueGenesis([SIGNERS[0] as KeySigner], { ...clique, epochlength: 100 }), 5)
  const warnings = () => nodes.lines.filter((line) => line.startsWith(STANDSTILL))
  nodes.time.advance(149_000)
  expect(warnings()).toEqual([])
  nodes.time.advance(1_000_000)
  expect(warnings()).toEqual(expected)
})
