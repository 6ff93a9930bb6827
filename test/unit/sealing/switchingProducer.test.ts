/** A validator follows its chain from one consensus engine to another, on virtual time. */
import { afterEach, describe, expect, it } from 'vitest'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { blockTree } from '../../simulation/blockTree.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'
import { cliqueGenesis } from '../../support/nodes/cliqueNode.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../support/nodes/genesisNode.ts'

const SIGNER = new KeySigner(new Uint8Array(32).fill(7))
const START_BLOCK = 4

function migratingGenesis(): string {
  const qbft = { startblock: START_BLOCK, blockperiodseconds: 1, epochlength: 100, requesttimeoutseconds: 2 }
  const validators = [bytesToHex(SIGNER.address)]
  const change = { block: START_BLOCK, validatorselectionmode: 'blockheader', validators }
  const text = cliqueGenesis([SIGNER], { blockperiodseconds: 2, epochlength: 30_000 })
  const genesis = JSON.parse(text) as { config: object }
  return JSON.stringify({ ...genesis, config: { ...genesis.config, qbft, transitions: { qbft: [change] } } })
}

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function run(store = new MemoryStore()) {
  const { evmModule } = await blockTree()
  const world = new SimulatedWorld(1)
  const life = new Life(world, 'validator', GENESIS_SECONDS * 1000)
  const { clock, timers, yieldToHost } = life
  const host = { store, clock, timers, random: world.random, yieldToHost, signer: SIGNER, evmModule }
  const options = { 'rpc-http-api': ['ETH', 'MINER', 'CLIQUE', 'QBFT'], 'rpc-profile': 'geth' } as const
  const opening = openGenesisNode(migratingGenesis(), options, host)
  await world.pass(0)
  const node = await opening
  close = async () => {
    const closing = node.close()
    await world.pass(1000)
    await closing
  }
  await node.goOnline()
  const height = (): number => Number(node.chain.head.header.number)
  const until = (number: number): Promise<boolean> => world.run(() => height() >= number, world.now + 60_000)
  return { node, until, height }
}

async function ask({ endpoints }: IsoNode, method: string, ...params: unknown[]) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const { body } = await endpoints.get('http').exchange.handle({ body: text })
  const { result, error } = JSON.parse(body) as { result?: unknown; error?: { code: number } }
  return error?.code ?? result
}

describe('a chain that changes from Clique to QBFT', () => {
  it('is extended across the start block without a restart', async () => {
    const { node, until } = await run()
    expect(await until(START_BLOCK - 2)).toBe(true)
    expect(await ask(node, 'miner_changeTargetGasLimit', 31_000_000)).toBe('Success')
    expect(await ask(node, 'clique_proposals')).toEqual({})
    expect(await until(START_BLOCK + 4)).toBe(true)
    expect(await ask(node, 'qbft_getPendingVotes')).toEqual({})
    expect(await ask(node, 'qbft_getValidatorsByBlockNumber', 'latest')).toEqual([bytesToHex(SIGNER.address)])
    const { header } = node.chain.head
    expect(header.beneficiary).toEqual(SIGNER.address)
    const before = node.chain.headerByNumber(START_BLOCK - 2)?.header.gasLimit as bigint
    expect(header.gasLimit).toBeGreaterThan(before)
    expect(await ask(node, 'eth_mining')).toBe(true)
    expect(await ask(node, 'miner_stop')).toBe(false)
  })

  it('stands still while the signer is stopped, and continues under QBFT after a restart', async () => {
    const store = new MemoryStore()
    const first = await run(store)
    await first.until(1)
    expect(await ask(first.node, 'miner_stop')).toBe(true)
    expect(await ask(first.node, 'eth_mining')).toBe(false)
    expect(await first.until(START_BLOCK)).toBe(false)
    expect(await ask(first.node, 'miner_start')).toBe(true)
    expect(await first.until(START_BLOCK + 1)).toBe(true)
    await close()
    const second = await run(store)
    expect(second.height()).toBe(START_BLOCK + 1)
    expect(await second.until(START_BLOCK + 3)).toBe(true)
  })
})
