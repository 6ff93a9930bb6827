import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { ConsensusEngine } from '../../../src/chain/engine.ts'
import { BlockSchedule } from '../../../src/config/blockSchedule.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { PosEngine } from '../../../src/consensus/pos.ts'
import { EngineSchedule } from '../../../src/consensus/schedule.ts'
import { VoteIntents } from '../../../src/consensus/voteIntents.ts'
import { DevProducer } from '../../../src/dev/devProducer.ts'
import { createProducer } from '../../../src/node/createProducer.ts'
import type { ProducerDeps } from '../../../src/node/producerDeps.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { IdleProducer } from '../../../src/sealing/idleProducer.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { FakeEngine } from '../../support/chains/fakeEngine.ts'
import { devWriter, openTestChain, TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { loadTestEvm } from '../../support/evm/testEvm.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { openDevChain } from '../../support/nodes/devChain.ts'
import { openRpcParts } from '../../support/rpc/rpcParts.ts'

const COINBASE = new Uint8Array(20).fill(1)

const evm = await loadTestEvm(TEST_CLOCK)

function partsOf(chain: Chain, isDev: boolean, coinbase?: Uint8Array): ProducerDeps {
  const { sealing: defaults, pool } = settingsOf(defaultOptions(isDev), isDev)
  const sealing = { ...defaults, mode: { kind: 'off' }, coinbase } as const
  return {
    chain,
    devWriter: devWriter(chain),
    pool: openRpcParts(chain).pool,
    states: { at: (header) => chain.stateAt(header as ChainHeader), mutable: () => undefined },
    clock: TEST_CLOCK,
    timers: testTimers,
    random: testRandom,
    store: new MemoryStore(),
    residency: undefined,
    senders: TEST_SENDERS,
    execution: { config: chain.config, evm, consensus: chain.consensus, control: {} },
    logger: silentLogger,
    settings: { isDev, autoImpersonates: false, failsOnRevert: false, sealing, pool },
    yieldToHost: testYield,
    resetTime: 'genesis',
    accounts: [],
    proposals: new VoteIntents(),
    votes: new VoteIntents(),
  }
}

function chainOf(engine: ConsensusEngine, terminalTotalDifficulty?: number): Promise<Chain> {
  const json = { config: { terminalTotalDifficulty }, difficulty: '0x64', gasLimit: '0x1c9c380', alloc: {} }
  const genesis = parseGenesis(json, { networkId: 1n })
  const { config } = genesis
  return openTestChain({
    config,
    genesis: { alloc: [], text: '{}', block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    consensus: new EngineSchedule({ config, engines: new BlockSchedule(engine), proofOfStake: new PosEngine() }),
  })
}

describe('the producers of a node', () => {
  it.each(['pow', 'pos', 'clique', 'ibft2', 'qbft'] as const)(
    'are idle on a chain of %s without a key',
    async (name) => {
      const { producer, dev } = await createProducer(partsOf(await chainOf(new FakeEngine({ name })), false))
      expect(producer).toBeInstanceOf(IdleProducer)
      expect(dev).toBeUndefined()
      expect([producer.status, producer.hashrate, producer.coinbase]).toEqual(['stopped', 0n, undefined])
      expect(() => producer.start()).toThrow(expect.objectContaining({ code: 'COINBASE_NOT_SET' }))
      producer.setCoinbase(COINBASE)
      producer.setTargetGasLimit(9n)
      producer.start()
      expect([producer.status, producer.coinbase, producer.targetGasLimit]).toEqual(['unable', COINBASE, 9n])
      producer.stop()
      expect(producer.status).toBe('stopped')
    },
  )

  it('are validators where the node has a key', async () => {
    const parts = partsOf(await chainOf(new FakeEngine({ name: 'qbft' })), false)
    const signer = new KeySigner(new Uint8Array(32).fill(1))
    const { producer } = await createProducer({ ...parts, signer })
    expect([producer.status, producer.coinbase, producer.canProduce]).toEqual(['producing', signer.address, true])
    producer.start()
    expect([producer.stop(), producer.status]).toEqual([false, 'producing'])
    expect(() => producer.setCoinbase(COINBASE)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    producer.close()
  })

  it('produce blocks on the dev chain', async () => {
    const chain = await openDevChain()
    const { producer, dev } = await createProducer(partsOf(chain, true, COINBASE))
    expect(producer).toBeInstanceOf(DevProducer)
    expect(producer.status).toBe('stopped')
    dev?.mining.setAutomine(true)
    expect(producer.status).toBe('producing')
    expect(producer.template.overrides).toEqual({ gasLimit: undefined, baseFeePerGas: undefined })
    dev?.block.setBaseFee(5n)
    dev?.block.setGasLimit(21_000n)
    expect(producer.template.overrides).toEqual({ gasLimit: 21_000n, baseFeePerGas: 5n })
    await dev?.mining.mine(2n)
    expect(chain.head.header).toMatchObject({ number: 2n, beneficiary: COINBASE, gasLimit: 21_000n })
    producer.stop()
    expect(producer.status).toBe('stopped')
    producer.close()
  })
})
