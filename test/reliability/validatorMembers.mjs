/**
 * Networks of validators as processes, whose keys and genesis are made by `operator generate-blockchain-config`.
 * @module
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const WAIT_MS = 120_000
/** Longer than a block takes. */
const STANDSTILL_MS = 3000
const MAX_OUTPUT = 200_000
const LATE_CLOCK = path.join(import.meta.dirname, 'lateClock.cjs')
const NODE = [process.execPath, path.join(root, 'dist/server.js')]

/** The program on each runtime. */
export const COMMANDS = {
  node: NODE,
  deno: [denoBinary(), 'run', '-A', '--node-modules-dir=manual', path.join(root, 'mod.ts')],
  bun: [bunBinary(), 'run', path.join(root, 'mod.ts')],
}

function run([program, ...args]) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
  return stdout.trim()
}

/**
 * Genesis file and keys of a network, as an operator makes them. The last of the nodes are followers.
 * @param engine qbft or ibft2
 */
export function makeNetwork(engine, folder, { validators, followers, requestTimeoutSeconds = 2 }) {
  mkdirSync(folder, { recursive: true })
  const section = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: requestTimeoutSeconds }
  const genesis = {
    config: { chainId: 4711, londonBlock: 0, zeroBaseFee: true, [engine]: section },
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    alloc: {},
  }
  const config = path.join(folder, 'config.json')
  const nodes = { generate: true, count: validators + followers }
  writeFileSync(config, JSON.stringify({ genesis, blockchain: { nodes } }))
  const to = path.join(folder, 'network')
  run([...NODE, 'operator', 'generate-blockchain-config', `--config-file=${config}`, `--to=${to}`])
  const addresses = readdirSync(path.join(to, 'keys')).sort()
  const genesisFile = path.join(to, 'genesis.json')
  const made = JSON.parse(readFileSync(genesisFile, 'utf8'))
  const list = path.join(folder, 'validators.json')
  writeFileSync(list, JSON.stringify(addresses.slice(0, validators)))
  const type = engine === 'qbft' ? 'QBFT_EXTRA_DATA' : 'IBFT_EXTRA_DATA'
  const extraData = run([...NODE, 'rlp', 'encode', `--from=${list}`, `--type=${type}`])
  writeFileSync(genesisFile, JSON.stringify({ ...made, extraData }))
  const keyFile = (address) => path.join(to, 'keys', address, 'key.priv')
  const idOf = (address) =>
    readFileSync(path.join(to, 'keys', address, 'key.pub'), 'utf8')
      .trim()
      .replace('0x', '')
  return { engine, folder, genesisFile, addresses, keyFile, idOf }
}

/** One node of a network. It keeps its keys and data over restarts. */
export class Member {
  #child
  #ended
  output = ''

  /**
   * @param options `command`: of COMMANDS; `host`: address for peers; `rpcHost`: address for the test; `prefix`: command that
   *   runs the program; `lateMs`: its clock is behind by this time; `keyOf`: index of the node whose key it has; `extra`: further options
   *   of the program
   */
  constructor(network, index, options = {}) {
    const { engine, folder, genesisFile, addresses, keyFile, idOf } = network
    const { command = 'node', host = '127.0.0.1', rpcHost = '127.0.0.1', prefix = [], lateMs = 0 } = options
    const { keyOf = index, extra = [] } = options
    this.engine = engine
    this.address = addresses[keyOf]
    this.index = index
    this.command = [...prefix, ...COMMANDS[command]]
    this.environment = lateMs === 0 ? {} : { NODE_OPTIONS: `--require=${LATE_CLOCK}`, LATE_CLOCK_MS: `${lateMs}` }
    const port = 20_000 + ((process.pid * 7 + index * 101) % 10_000)
    this.enode = `enode://${idOf(this.address)}@${host}:${port}`
    this.data = path.join(folder, `data-${index}`)
    this.options = [
      `--genesis-file=${genesisFile}`,
      `--node-private-key-file=${keyFile(this.address)}`,
      `--data-path=${this.data}`,
      `--p2p-port=${port}`,
      ...[`--p2p-host=${host}`, `--p2p-interface=${host}`, '--min-gas-price=0'],
      ...['--rpc-http-enabled', '--rpc-http-port=0', `--rpc-http-host=${rpcHost}`, '--host-allowlist=*'],
      `--rpc-http-api=ETH,NET,ADMIN,${engine === 'qbft' ? 'QBFT' : 'IBFT'}`,
      ...(extra.some((option) => option.startsWith('--discovery-enabled')) ? [] : ['--discovery-enabled=false']),
      ...extra,
    ]
  }

  /** Connects to these from the start. */
  maintain(others) {
    mkdirSync(this.data, { recursive: true })
    writeFileSync(path.join(this.data, 'static-nodes.json'), JSON.stringify(others.map(({ enode }) => enode)))
  }

  async start() {
    const [program, ...args] = this.command
    const env = { ...process.env, ...this.environment }
    const child = spawn(program, [...args, ...this.options], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('close', resolve))
    let printed = ''
    this.url = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        printed = (printed + chunk).slice(-MAX_OUTPUT)
        this.output = (this.output + chunk).slice(-MAX_OUTPUT)
        const [url] = /http:\/\/[\d.]+:\d+/.exec(printed) ?? []
        if (url !== undefined) resolve(url)
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      void this.#ended.then(() => reject(new Error(`node ${this.index} ended: ${printed.slice(-2000)}`)))
    })
    await until(`node ${this.index} listens`, () => this.rpc('net_enode').then(Boolean, () => false))
  }

  kill() {
    return this.#end('SIGKILL')
  }

  stop() {
    return this.#end('SIGTERM')
  }

  /** The process stands still for a while, as a suspended machine would. */
  async pause(ms) {
    this.#child.kill('SIGSTOP')
    await delay(ms)
    this.#child.kill('SIGCONT')
  }

  async #end(signal) {
    this.#child?.kill(signal)
    await this.#ended
  }

  async rpc(method, ...params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(this.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const { result, error } = await response.json()
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  async height() {
    return Number(await this.rpc('eth_blockNumber'))
  }

  async peers() {
    return Number(await this.rpc('net_peerCount'))
  }

  async hashOf(number) {
    return (await this.rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, false))?.hash
  }

  validators() {
    const method = this.engine === 'qbft' ? 'qbft' : 'ibft'
    return this.rpc(`${method}_getValidatorsByBlockNumber`, 'latest')
  }

  vote(address, isAdd) {
    const method = this.engine === 'qbft' ? 'qbft' : 'ibft'
    return this.rpc(`${method}_proposeValidatorVote`, address, isAdd)
  }
}

export async function until(what, isReached, limitMs = WAIT_MS) {
  const startMs = performance.now()
  for (; !(await isReached()); await delay(100))
    if (performance.now() - startMs > limitMs) throw new Error(`not reached in ${limitMs / 1000} s: ${what}`)
  return (performance.now() - startMs) / 1000
}

export async function connect(members, others = members) {
  for (const member of members)
    for (const other of others) if (member !== other) await member.rpc('admin_addPeer', other.enode)
}

export async function disconnect(members, others) {
  for (const member of members)
    for (const other of others) {
      await member.rpc('admin_removePeer', other.enode)
      await other.rpc('admin_removePeer', member.enode)
    }
}

export const heights = (members) => Promise.all(members.map((member) => member.height()))

/** Waits for further blocks at all nodes. @returns seconds */
export async function grow(members, by = 2, limitMs = WAIT_MS) {
  const goal = Math.max(...(await heights(members))) + by
  return until(`all nodes at block ${goal}`, async () => Math.min(...(await heights(members))) >= goal, limitMs)
}

/** Waits until no block is on its way any more. */
export async function standstill(members) {
  let highest = -1
  await until('no further blocks', async () => {
    const before = highest
    highest = Math.max(...(await heights(members)))
    if (highest === before) return true
    await delay(STANDSTILL_MS)
    return false
  })
}

/** All nodes have the same blocks. @returns the height up to which they were compared */
export async function compareChains(members) {
  const height = Math.min(...(await heights(members)))
  for (let number = 0; number <= height; number++) {
    const hashes = new Set(await Promise.all(members.map((member) => member.hashOf(number))))
    if (hashes.size !== 1) throw new Error(`different blocks ${number}: ${[...hashes].join(', ')}`)
  }
  return height
}

/** @throws when a node has logged an error */
export function checkLogs(members) {
  for (const { output, index } of members) {
    const [line] = /.*\bERROR\b.*/.exec(output) ?? []
    if (line !== undefined) throw new Error(`node ${index} logs: ${line}`)
  }
}

/** Error of a failed run, with the last lines of each node. */
export function failure(name, members, error) {
  const logs = members.map(({ index, output }) => `--- node ${index}\n${output.split('\n').slice(-7).join('\n')}`)
  return new Error(`${name}: ${error.message}\n${logs.join('\n')}`, { cause: error })
}
