/**
 * Nodes of each consensus among 25 hostile connections, honest peers and a client of JSON-RPC: they answer quickly, make
 * their blocks, keep their memory and their honest peers. ISONODE_LONG_COUNT is the number of seconds of an attack; below a
 * minute, only the hardest attack on each kind of network runs. ISONODE_CONSENSUS chooses one kind.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from 'esbuild'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { rlpEncode } from '../../src/base/primitives/rlp.ts'
import { snappyCompress } from '../../src/net/p2p/rlpx/snappy.ts'
import { BFT_CAPABILITIES } from '../../src/net/protocols/bftWire.ts'
import { ETH_MESSAGES, type EthMessageKind } from '../../src/net/protocols/eth/versions.ts'
import { PROTOCOLS } from '../../src/sealing/bft/protocols.ts'
import { bftGenesis } from '../simulation/bft/bftGenesis.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { ALICE } from '../support/nodes/devChain.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { agreementTargets } from '../unit/net/protocols/hostileAgreement.ts'
import { HostileNode } from '../unit/net/protocols/hostileNode.ts'
import { hostileVariants, type Target } from '../unit/net/protocols/hostileTable.ts'
import { longCount } from './count.ts'
import type { Consensus, CrowdOptions } from './hostileCrowd.ts'
import { enodeOf, expectOneBlock, height, soon, waitForHeight } from './realPeers.ts'

interface Scenario {
  readonly consensus: Consensus
  /** Whether the crowd has the key of a signer or validator. */
  readonly hasKey: boolean
  /** Whether the attacked node makes blocks; otherwise it is a member of the network without a key of its signers. */
  readonly isSealer: boolean
}

/** The hardest ones of each consensus come last. */
const SCENARIOS: readonly Scenario[] = [
  { consensus: 'pow', hasKey: false, isSealer: false },
  { consensus: 'pow', hasKey: false, isSealer: true },
  { consensus: 'clique', hasKey: false, isSealer: true },
  { consensus: 'clique', hasKey: false, isSealer: false },
  { consensus: 'clique', hasKey: true, isSealer: true },
  { consensus: 'ibft2', hasKey: false, isSealer: true },
  { consensus: 'ibft2', hasKey: true, isSealer: true },
  { consensus: 'qbft', hasKey: false, isSealer: true },
  { consensus: 'qbft', hasKey: false, isSealer: false },
  { consensus: 'qbft', hasKey: true, isSealer: true },
]

const chosenConsensus = process.env['ISONODE_CONSENSUS']
const SECONDS = Math.max(5, Number.isFinite(longCount) ? longCount : 10)
const CHOSEN = SCENARIOS.filter(
  ({ consensus }, i) =>
    consensus === (chosenConsensus ?? consensus) && (SECONDS >= 60 || SCENARIOS[i + 1]?.consensus !== consensus),
)

const CONNECTIONS = 25
const CHAIN_ID = 2128
/** Time between blocks; of proof of work on average, with one thread of a busy machine. */
const PERIOD_SECONDS = 2
const DIFFICULTY = 20_000
/** Honest nodes that make blocks; of proof of work, only one mines. */
const SEALERS = 3
/** Limit of eth_blockNumber on a machine that does nothing else. */
const MAX_P99_MS = 50
/** An idle node beside shows how busy the machine is: each of its milliseconds allows this number of further ones. */
const TOLERANCE = 10
const QUIET_MS = 3000
const MAX_GROWTH_MIB = 128
/** Part of the blocks that the period allows. A hostile validator costs the rounds in which it is the proposer. */
const LEAST_BLOCKS = { pow: 0.3, clique: 0.7, ibft2: 0.8, qbft: 0.8 }
/** Part of the heights whose proposer is hostile. They take a period and a round change. */
const FAULTY_SHARE = 0.25
const SAMPLE_MS = 10
const ROUND_TIMEOUT_SECONDS = 2

const KEYS = [1, 2, 3, 4, 5].map((byte) => new Uint8Array(32).fill(byte))
const HOSTILE_KEY = KEYS[SEALERS] as Uint8Array
const MEMBER_KEY = KEYS[SEALERS + 1] as Uint8Array

let folder = ''
let crowdProgram = ''
let bombs = ''
const nodes: RunningNode[] = []

/** Hostile messages of all protocols, compressed once. */
async function makeBombs(): Promise<Uint8Array> {
  const hostile = await HostileNode.open()
  const version = 'eth/68'
  const eth = (await hostile.ethTargets()).filter(({ protocol }) => protocol === version || protocol === 'eth/69')
  const codeOf = ({ message }: Target): number => ETH_MESSAGES[message as EthMessageKind].code
  const snap = hostile.snapTargets()
  const agreement = await agreementTargets()
  const list = [
    ...eth.map((target) => ({ target, capability: 'eth', code: codeOf(target) })),
    ...snap.map((target, code) => ({ target, capability: 'snap', code })),
    ...agreement.map((target) => {
      const protocol = target.protocol as 'ibft2' | 'qbft'
      const codes: Readonly<Record<string, number>> = PROTOCOLS[protocol].codec.codes
      return { target, capability: BFT_CAPABILITIES[protocol].name, code: codes[target.message] as number }
    }),
  ]
  const encoded = list.flatMap(({ target, capability, code }) =>
    [...hostileVariants(target, true)].map(({ payload }) => [
      Buffer.from(capability),
      Uint8Array.of(code),
      snappyCompress(payload),
    ]),
  )
  return rlpEncode(encoded)
}

beforeAll(async () => {
  // In node_modules, since the bundle imports packages.
  folder = mkdtempSync(path.resolve(import.meta.dirname, '../../node_modules/.crowd-'))
  crowdProgram = path.join(folder, 'crowd.mjs')
  const entryPoints = [path.join(import.meta.dirname, 'hostileCrowd.ts')]
  await build({
    entryPoints,
    outfile: crowdProgram,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  bombs = path.join(folder, 'bombs')
  writeFileSync(bombs, await makeBombs())
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.kill()
})

function genesisOf({ consensus, hasKey }: Scenario): string {
  const signers = KEYS.slice(0, hasKey ? SEALERS + 1 : SEALERS).map((key) => new KeySigner(key))
  const alloc = { [ALICE.address]: { balance: '0x3635c9adc5dea00000' } }
  const timestamp = Math.floor(Date.now() / 1000) - 10
  if (consensus === 'clique') {
    return cliqueGenesis(signers, { blockperiodseconds: PERIOD_SECONDS, epochlength: 30_000 }, { zeroBaseFee: true })
  }
  if (consensus === 'pow') {
    const ethash = { fixeddifficulty: DIFFICULTY }
    const config = { chainId: CHAIN_ID, londonBlock: 0, zeroBaseFee: true, ethash }
    const difficulty = `0x${DIFFICULTY.toString(16)}`
    return JSON.stringify({
      config,
      gasLimit: '0x1c9c380',
      difficulty,
      timestamp: `0x${timestamp.toString(16)}`,
      alloc,
    })
  }
  const options = { validators: signers, requestTimeoutSeconds: ROUND_TIMEOUT_SECONDS, alloc, timestamp }
  const { text } = bftGenesis({ mode: consensus, ...options })
  const genesis = JSON.parse(text)
  genesis.config.chainId = CHAIN_ID
  genesis.config[consensus].blockperiodseconds = PERIOD_SECONDS
  return JSON.stringify(genesis)
}

async function startHonest(consensus: Consensus, genesisFile: string, key: Uint8Array): Promise<RunningNode> {
  const data = temporaryDirectory()
  const keyFile = path.join(data, 'node-key')
  writeFileSync(keyFile, bytesToHexUnprefixed(key))
  const mining = [
    '--ethash-test-mode',
    `--miner-coinbase=0x${'11'.repeat(20)}`,
    ...(key === KEYS[0] ? ['--miner-enabled'] : []),
  ]
  const node = await startNode([
    `--genesis-file=${genesisFile}`,
    `--data-path=${data}`,
    `--node-private-key-file=${keyFile}`,
    ...['--p2p-interface=127.0.0.1', '--p2p-port=0', '--discovery-enabled=false', '--min-gas-price=0'],
    // All hostile peers find a place.
    ...['--max-peers=60', '--remote-connections-max-percentage=100'],
    // The transactions have one sender.
    '--tx-pool-limit-by-account-percentage=1',
    '--rpc-http-api=ETH,NET,ADMIN',
    ...(consensus === 'pow' ? mining : []),
  ])
  nodes.push(node)
  return node
}

/** @returns the attacked node first */
async function startNetwork(scenario: Scenario): Promise<readonly RunningNode[]> {
  const genesisFile = path.join(temporaryDirectory(), 'genesis.json')
  writeFileSync(genesisFile, genesisOf(scenario))
  const keys = [...(scenario.isSealer ? [] : [MEMBER_KEY]), ...KEYS.slice(0, SEALERS)]
  const members: RunningNode[] = []
  for (const key of keys) members.push(await startHonest(scenario.consensus, genesisFile, key))
  for (const member of members)
    for (const other of members) if (member !== other) await member.rpc('admin_addPeer', [await enodeOf(other)])
  await soon(async () => {
    for (const member of members) expect(Number(await member.rpc('net_peerCount'))).toBe(members.length - 1)
  })
  await waitForHeight(members[0] as RunningNode, 2)
  return members
}

async function addressOf(node: RunningNode): Promise<CrowdOptions['nodes'][number]> {
  const { hostname, port, username } = new URL(await enodeOf(node))
  return { host: hostname, port: Number(port), id: username }
}

/** Runs the hostile connections. @returns what they sent */
function runCrowd(options: CrowdOptions): Promise<Record<string, number>> {
  const file = path.join(folder, 'options.json')
  writeFileSync(file, JSON.stringify(options))
  const child = spawn(process.execPath, [crowdProgram, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`the crowd ended with ${code}`)),
    )
  })
}

/** Sorted times of eth_blockNumber while something else runs. */
async function latencies(node: RunningNode, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const start = performance.now()
    await node.rpc('eth_blockNumber')
    times.push(performance.now() - start)
    await delay(SAMPLE_MS)
  }
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] as number

/** Resident memory of a process in MiB. */
function residentMiB(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

interface Watched {
  readonly memory: readonly number[]
  /** Times that an honest peer was absent. */
  readonly lostPeers: number
}

/** Looks at a node once a second. */
async function watch(node: RunningNode, honest: readonly string[], isOver: () => boolean): Promise<Watched> {
  const memory: number[] = []
  let lostPeers = 0
  while (!isOver()) {
    memory.push(residentMiB(node.pid))
    const peers = await node.rpc<readonly { readonly id: string }[]>('admin_peers')
    const ids = new Set(peers.map(({ id }) => id.replace('0x', '')))
    lostPeers += honest.filter((id) => !ids.has(id)).length
    await delay(1000)
  }
  return { memory, lostPeers }
}

/** Sends transfers, one after the other. @returns the hashes */
async function transfer(node: RunningNode, isOver: () => boolean): Promise<readonly string[]> {
  const hashes: string[] = []
  while (!isOver()) {
    const fields = { chainId: CHAIN_ID, gas: 21_000n, gasPrice: 0n, nonce: hashes.length, to: ALICE.address as Hex }
    const raw = await ALICE.signTransaction({ type: 'legacy', ...fields })
    hashes.push(await node.rpc<string>('eth_sendRawTransaction', [raw]))
    await delay(500)
  }
  return hashes
}

const median = (values: readonly number[]): number =>
  at(
    [...values].sort((a, b) => a - b),
    0.5,
  )

function nameOf({ consensus, hasKey, isSealer }: Scenario): string {
  return `${consensus}${hasKey ? ' with a hostile key' : ''}${isSealer ? '' : ', a member without a key'}`
}

describe.each(CHOSEN.map((scenario) => [nameOf(scenario), scenario] as const))('%s', (name, scenario) => {
  const { consensus, hasKey } = scenario
  it(`withstands ${CONNECTIONS} hostile connections for ${SECONDS} s`, {
    timeout: (SECONDS + 300) * 1000,
  }, async () => {
    const members = await startNetwork(scenario)
    const idle = await startNode(['--ephemeral'])
    nodes.push(idle)
    const [victim] = members as [RunningNode]
    const addresses = await Promise.all(members.map(addressOf))
    const honest = addresses.slice(1).map(({ id }) => id)
    const key = hasKey ? { key: bytesToHexUnprefixed(HOSTILE_KEY) } : {}
    const options = { consensus, nodes: addresses, connections: CONNECTIONS, seconds: SECONDS, seed: 1, bombs, ...key }

    let isQuiet = true
    const quietOver = delay(QUIET_MS).then(() => {
      isQuiet = false
    })
    const quiet = await latencies(victim, () => !isQuiet)
    await quietOver

    const before = await height(victim)
    const startedMs = performance.now()
    let isDone = false
    const isOver = (): boolean => isDone
    const crowd = runCrowd(options).finally(() => {
      isDone = true
    })
    const [report, own, control, watched, hashes] = await Promise.all([
      crowd,
      latencies(victim, isOver),
      latencies(idle, isOver),
      watch(victim, honest, isOver),
      transfer(victim, isOver),
    ])
    const seconds = (performance.now() - startedMs) / 1000
    const blocks = (await height(victim)) - before
    const { memory, lostPeers } = watched
    const quarter = Math.ceil(memory.length / 4)
    const growth = median(memory.slice(-quarter)) - median(memory.slice(quarter, 2 * quarter))
    const p99 = [own, control].map((times) => at(times, 0.99).toFixed(1))
    console.log(
      `${name}: ${seconds.toFixed(0)} s, ${blocks} blocks, p50 ${at(own, 0.5).toFixed(1)} ms, p99 ${p99[0]} ms (before ${at(quiet, 0.99).toFixed(1)} ms, idle node ${p99[1]} ms), most ${at(own, 1).toFixed(0)} ms (idle node ${at(control, 1).toFixed(0)} ms), memory ${Math.max(...memory).toFixed(0)} MiB, growth ${growth.toFixed(0)} MiB, honest peers absent ${lostPeers}; ${JSON.stringify(report)}`,
    )
    const faulty = hasKey && consensus !== 'clique' ? ROUND_TIMEOUT_SECONDS * FAULTY_SHARE : 0
    const allowed = seconds / (PERIOD_SECONDS + faulty)
    expect(blocks).toBeGreaterThan(allowed * LEAST_BLOCKS[consensus] - 2)
    expect(at(own, 0.99)).toBeLessThan(MAX_P99_MS + TOLERANCE * at(control, 0.99))
    expect(growth).toBeLessThan(MAX_GROWTH_MIB)
    expect(lostPeers).toBe(0)
    // The chain goes on, and holds what the client has sent.
    await expectOneBlock(members, (await height(victim)) + 2)
    for (const hash of hashes) {
      await soon(async () =>
        expect(await victim.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' }),
      )
    }
    for (const node of members) expect(node.output()).not.toMatch(/\bERROR\b/)
  })
})
