/** A node with the key of a Clique signer, on virtual time. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { parseExtraData } from '../../../src/consensus/clique/extraData.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { blockTree } from '../../simulation/blockTree.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'
import { addressesOf, SIGNERS } from '../../support/chains/cliqueHeaders.ts'
import { type CliqueNode, cliqueGenesis, openCliqueNode, sealOnHead } from '../../support/nodes/cliqueNode.ts'
import { ALICE, signed } from '../../support/nodes/devChain.ts'
import { GENESIS_SECONDS } from '../../support/nodes/genesisNode.ts'

const [ANN, BEN, CLEO, DAN] = SIGNERS as [Signer, Signer, Signer, Signer]

interface Running extends CliqueNode {
  readonly world: SimulatedWorld
  readonly logged: string[]
  /** Moves the wall clock. */
  jump(ms: number): void
  height(): number
  /** Waits for a block. @returns virtual milliseconds since the start of the world */
  until(height: number): Promise<number>
}

interface RunOptions extends Partial<NodeOptions> {
  readonly store?: MemoryStore
}

let world = new SimulatedWorld(1)
let opened: CliqueNode[] = []
afterEach(async () => {
  const closing = Promise.all(opened.map(({ node }) => node.close()))
  await world.pass(1000)
  await closing
  opened = []
})

async function run(
  text: string,
  signer: Signer,
  { store = new MemoryStore(), ...options }: RunOptions = {},
): Promise<Running> {
  // Building it loads the EVM, for which a simulated world does not wait.
  const { evmModule } = await blockTree()
  world = new SimulatedWorld(1)
  const life = new Life(world, 'signer', GENESIS_SECONDS * 1000)
  let skewMs = 0
  const logged: string[] = []
  const note = (message: string) => void logged.push(message)
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note, child: () => logger }
  const clock = { now: () => life.clock.now() + skewMs, monotonic: life.clock.monotonic }
  const host = {
    store,
    clock,
    timers: life.timers,
    random: world.random,
    yieldToHost: life.yieldToHost,
    signer,
    logger,
    evmModule,
  }
  const opening = openCliqueNode(text, host, options)
  await world.pass(0)
  const node = await opening
  opened.push(node)
  await node.node.goOnline()
  const height = (): number => Number(node.node.chain.head.header.number)
  return {
    ...node,
    world,
    logged,
    height,
    jump: (ms) => {
      skewMs += ms
    },
    until: async (wanted) => {
      await world.run(() => height() >= wanted, 10_000_000)
      expect(height()).toBe(wanted)
      return world.now
    },
  }
}

const ONE = cliqueGenesis([ANN])

describe('a signer of Clique', () => {
  it('seals a block per period, at its timestamp', async () => {
    const { until, node } = await run(ONE, ANN)
    expect([await until(1), await until(2), await until(3)].map(Math.round)).toEqual([2000, 4000, 6000])
    const { header } = node.chain.head
    expect(header).toMatchObject({ difficulty: 2n, timestamp: BigInt(GENESIS_SECONDS + 6) })
    expect(node.consensus.claimedBy(header).author(header)).toEqual(ANN.address)
    await until(10)
    expect(parseExtraData(node.chain.head.header.extraData).signers).toEqual([ANN.address])
  })

  it('includes transactions and receives their fees', async () => {
    const { until, node, ask } = await run(ONE, ANN, { 'min-gas-price': 0n })
    const raw = await signed(ALICE, { nonce: 0, value: 1n, chainId: 2128, maxFeePerGas: 20_000_000_000n })
    expect(await ask('eth_sendRawTransaction', bytesToHex(raw))).toMatchObject({ body: { result: expect.any(String) } })
    await until(1)
    const { hash, header } = node.chain.head
    expect(node.chain.body(hash)?.transactions).toHaveLength(1)
    expect(header.beneficiary).toEqual(new Uint8Array(20))
    expect(node.chain.stateAt(node.chain.head).getAccount(ANN.address)?.balance).toBeGreaterThan(0n)
  })

  it('waits for the others once it has signed, and seals out of turn after a delay', async () => {
    const { until, node, height, world } = await run(cliqueGenesis([ANN, BEN, CLEO]), CLEO)
    const first = await until(1)
    expect(node.chain.head.header.difficulty).toBe(1n)
    expect(first).toBeGreaterThan(2000)
    expect(first).toBeLessThanOrEqual(2000 + 1250)
    await world.pass(60_000)
    expect(height()).toBe(1)
    await Promise.all([sealOnHead(node.chain, ANN), world.pass(100)])
    expect(height()).toBe(2)
    await world.pass(100)
    await until(3)
    expect(node.chain.head.header.difficulty).toBe(1n)
  })

  it('seals in turn although another block of this height exists', async () => {
    const { until, node, world } = await run(cliqueGenesis([ANN, BEN, CLEO]), BEN)
    await Promise.all([sealOnHead(node.chain, ANN), world.pass(100)])
    const rival = node.chain.head.hash
    await world.pass(3000)
    await until(1)
    expect(node.chain.head.hash).not.toEqual(rival)
    expect(node.chain.head.header.difficulty).toBe(2n)
  })

  it('casts the proposed votes in turns, none in epoch blocks, and keeps the proposals', async () => {
    const { until, node, ask } = await run(ONE, ANN)
    await ask('clique_propose', bytesToHex(BEN.address), true)
    await ask('clique_propose', bytesToHex(ANN.address), true)
    await until(1)
    expect(node.chain.head.header).toMatchObject({ beneficiary: BEN.address, nonce: new Uint8Array(8).fill(255) })
    const { body } = await ask('clique_getSigners')
    expect(body['result']).toEqual(addressesOf([ANN, BEN]).map(bytesToHex))
    expect((await ask('clique_proposals')).body['result']).toEqual({
      [bytesToHex(BEN.address)]: true,
      [bytesToHex(ANN.address)]: true,
    })
  })

  it('casts no vote in an epoch block', async () => {
    const { until, node, ask, height } = await run(cliqueGenesis([ANN, BEN], { epochlength: 2 }), ANN)
    await ask('clique_propose', bytesToHex(CLEO.address), true)
    const sealing = sealOnHead(node.chain, BEN)
    await world.pass(50)
    await sealing
    expect(height()).toBe(1)
    await until(2)
    expect(node.chain.head.header.beneficiary).toEqual(new Uint8Array(20))
    expect(parseExtraData(node.chain.head.header.extraData).signers).toHaveLength(2)
  })

  it('seals nothing without transactions when empty blocks are off', async () => {
    const { until, ask, height, world } = await run(cliqueGenesis([ANN], { createemptyblocks: false }), ANN, {
      'min-gas-price': 0n,
    })
    await world.pass(30_000)
    expect(height()).toBe(0)
    const raw = await signed(ALICE, { nonce: 0, value: 1n, chainId: 2128, maxFeePerGas: 20_000_000_000n })
    await ask('eth_sendRawTransaction', bytesToHex(raw))
    const at = await until(1)
    expect(at).toBeLessThan(32_000)
  })

  it('follows the periods of transitions', async () => {
    const transitions = { clique: [{ block: 3, blockperiodseconds: 5 }] }
    const { until } = await run(cliqueGenesis([ANN], {}, { transitions }), ANN)
    expect([await until(2), await until(3), await until(4)].map(Math.round)).toEqual([4000, 9000, 14_000])
  })

  it('stops and starts, and has no other coinbase', async () => {
    const { until, ask, height, world } = await run(ONE, ANN)
    await until(1)
    expect((await ask('eth_mining')).body['result']).toBe(true)
    expect((await ask('eth_coinbase')).body['result']).toBe(bytesToHex(ANN.address))
    expect(await ask('miner_setCoinbase', bytesToHex(BEN.address))).toMatchObject({
      status: 400,
      body: { error: { code: -32600 } },
    })
    await ask('miner_stop')
    expect((await ask('eth_mining')).body['result']).toBe(false)
    await world.pass(20_000)
    expect(height()).toBe(1)
    await ask('miner_start')
    await until(2)
  })

  it('continues after a restart, without a second block at a height', async () => {
    const store = new MemoryStore()
    const text = cliqueGenesis([ANN, BEN])
    const first = await run(text, ANN, { store })
    await first.until(1)
    const closing = first.node.close()
    await first.world.pass(1000)
    await closing
    opened = []
    const second = await run(text, ANN, { store })
    await second.world.pass(30_000)
    expect(second.height()).toBe(1)
  })
})

describe('a clock that jumps', () => {
  it('backwards delays the next block until its timestamp', async () => {
    const { until, jump } = await run(ONE, ANN)
    await until(1)
    jump(-100_000)
    expect(Math.round(await until(2))).toBe(104_000)
    expect(Math.round(await until(3))).toBe(106_000)
  })

  it('forwards and back leaves the chain intact', async () => {
    const { until, jump, node } = await run(ONE, ANN)
    await until(1)
    jump(3_600_000)
    await until(2)
    expect(node.chain.head.header.timestamp).toBeGreaterThan(BigInt(GENESIS_SECONDS + 3600))
    jump(-3_600_000)
    const at = await until(3)
    expect(at).toBeGreaterThan(3_600_000)
  })
})

describe('a node whose key is not in the set', () => {
  it('seals nothing, says so once, and begins when it is voted in', async () => {
    const { node, height, world, logged, until } = await run(cliqueGenesis([ANN, BEN]), DAN)
    await world.pass(10_000)
    expect(height()).toBe(0)
    const message = 'the node key is not that of a signer: this node seals no blocks'
    expect(logged.filter((text) => text === message)).toHaveLength(1)
    for (const signer of [BEN, ANN])
      await Promise.all([sealOnHead(node.chain, signer, { recipient: DAN.address, isAdd: true }), world.pass(100)])
    expect(logged.filter((text) => text === message)).toHaveLength(1)
    expect(logged).toContain('this node is a signer: it seals blocks')
    await until(3)
    expect(node.consensus.claimedBy(node.chain.head.header).author(node.chain.head.header)).toEqual(DAN.address)
  })
})
