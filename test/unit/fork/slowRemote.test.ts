/** Calls whose data come from a remote that takes long for each answer. The waits are those of a clock that each answer moves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { nextChain, openFork } from '../../../src/node/fork/openFork.ts'
import { toForkSettings } from '../../../src/node/settings/forkSettings.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

const SENDER = DEV_ACCOUNTS[0]?.address as string
/** Reads slot 0, then the slot that the last one names, until one is zero; returns 42. */
const CHASE = evmCode('0 JUMPDEST SLOAD DUP1 2 JUMPI 42 0 MSTORE 32 0 RETURN')
const ENDLESS = evmCode('7 SLOAD POP JUMPDEST 4 JUMP')
const LINKS = 8
const CONTRACTS = [1, 2, 3, 4, 5].map((n) => `0x${'c'.repeat(39)}${n}`)
const LOOP = `0x${'d'.repeat(40)}`
const SLOW_MS = 5_000
const ANSWER = `0x${'0'.repeat(62)}2a`
const word = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
/** Nothing tells what a call reads. */
const PLANS = new Set(['isonode_callWitness', 'eth_createAccessList', 'debug_traceCall'])

const open = closedAfterEach()
const closes: (() => Promise<void>)[] = []
let skippedMs: number
const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() + skippedMs }

beforeEach(() => {
  skippedMs = 0
})

afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

async function prepare({ rpc }: Pick<OpenedNode, 'rpc'>): Promise<void> {
  for (const contract of CONTRACTS) {
    await rpc('hardhat_setCode', contract, bytesToHex(CHASE))
    for (let slot = 0; slot < LINKS; slot++) await rpc('hardhat_setStorageAt', contract, word(slot), word(slot + 1))
  }
  await rpc('hardhat_setCode', LOOP, bytesToHex(ENDLESS))
}

/** @param slowMs time for each answer */
async function openRemote(slowMs: number): Promise<{ remote: OpenedNode; transport: NodeTransport }> {
  const remote = await open()
  await prepare(remote)
  await remote.rpc('anvil_mine')
  const transport = new NodeTransport(remote.rpc)
  transport.hidden = PLANS
  transport.lie = (_method, _params, result) => {
    skippedMs += slowMs
    return result
  }
  return { remote, transport }
}

async function openForkedNode(slowMs: number, changes: Partial<NodeOptions> = {}): Promise<OpenedNode> {
  const { transport } = await openRemote(slowMs)
  const options: NodeOptions = { ...defaultOptions(true), 'fork-url': ['http://remote.test'], ...changes }
  const ports = { clock, timers: testTimers, random: testRandom, logger: silentLogger, sources: [] }
  const opened = await openFork(toForkSettings(options), options, { ...ports, openTransport: () => transport })
  const { store, residency, fork, genesis, close } = nextChain(opened)
  closes.push(close)
  const host = { clock, ...(residency === undefined ? {} : { residency }), ...(fork === undefined ? {} : { fork }) }
  return open(options, store, host, JSON.parse(genesis.text) as Record<string, unknown>)
}

describe('calls on a fork over a slow remote', () => {
  it('wait for it longer than their time limit', async () => {
    const { rpc } = await openForkedNode(SLOW_MS)
    const [first, second, third, fourth, fifth] = CONTRACTS
    const before = skippedMs
    expect(await rpc('eth_call', { to: first }, 'latest')).toBe(ANSWER)
    expect(skippedMs - before).toBeGreaterThan(LINKS * SLOW_MS)
    expect(BigInt(await rpc<string>('eth_estimateGas', { to: second }))).toBeGreaterThan(21_000n)
    const calls = [{ to: third }, { to: third }]
    const [block] = await rpc<[{ calls: { returnData: string }[] }]>('eth_simulateV1', { blockStateCalls: [{ calls }] })
    expect(block.calls.map(({ returnData }) => returnData)).toEqual([ANSWER, ANSWER])
    expect(await rpc('debug_traceCall', { to: fourth }, 'latest', { tracer: 'callTracer' })).toMatchObject({
      output: ANSWER,
    })
    const hash = await rpc<string>('eth_sendTransaction', { from: SENDER, to: fifth, gas: '0x20000' })
    expect(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({ output: ANSWER })
  })

  it('end after two minutes of waits, name what they lack, and find later what was fetched', async () => {
    const { rpc } = await openForkedNode(6 * SLOW_MS)
    const call = () => rpc('eth_call', { to: CONTRACTS[0] }, 'latest')
    const message = /^the call waited 120 s in all for http:\/\/remote.test, and still needs slot 0x0+\d of 0xc+1$/
    await expect(call()).rejects.toThrow(message)
    await expect(call()).rejects.toThrow(/still needs slot/)
    for (let i = 0; i < LINKS; i++) if ((await call().catch(() => undefined)) === ANSWER) break
    expect(await call()).toBe(ANSWER)
  })

  it('have a time limit for what they execute', async () => {
    const { rpc } = await openForkedNode(SLOW_MS, { 'rpc-call-timeout-ms': 100, 'rpc-call-gas-cap': 10n ** 12n })
    const call = { to: LOOP, gas: '0xe8d4a51000' }
    await expect(rpc('eth_call', call, 'latest')).rejects.toThrow(/^execution aborted \(timeout = \d+ms\)$/)
  })
})

it('verified calls wait for their remote', async () => {
  const { transport, remote } = await openRemote(8000)
  const { hash } = await remote.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const provider = await openVerified(transport, { genesis: devGenesis(), trust: { hash } }, { clock })
  closes.push(() => provider.close())
  expect(await provider.request('eth_call', [{ to: CONTRACTS[0] }, 'latest'])).toBe(ANSWER)
})
