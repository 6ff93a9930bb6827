/**
 * Four validators and a node that only follows, as processes on real sockets: three on Node, one on Deno, one on Bun.
 *
 *   node test/reliability/validatorNetwork.mjs [--rounds 10] [--seed N] [--engine qbft|ibft2]
 *
 * The network is made by `operator generate-blockchain-config`. A validator is killed and started again in each round;
 * then the network is cut into two halves, in which no block may be final, and a validator is voted out and in again by
 * RPC. All nodes must have the same chain in the end.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'
import { numberOption, seededRandom } from './random.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const rounds = numberOption('rounds', 10)
const seed = numberOption('seed', Date.now() % 1_000_000)
const engineAt = process.argv.indexOf('--engine')
const engines = engineAt < 0 ? ['qbft', 'ibft2'] : [process.argv[engineAt + 1]]
const random = seededRandom(seed)

const VALIDATORS = 4
const WAIT_MS = 120_000
const NODE = [process.execPath, path.join(root, 'dist/server.js')]
const DENO = [denoBinary(), 'run', '-A', '--node-modules-dir=manual', path.join(root, 'mod.ts')]
const BUN = [bunBinary(), 'run', path.join(root, 'mod.ts')]
const COMMANDS = [NODE, DENO, BUN, NODE, NODE]

/** Genesis file and keys of a network, as an operator makes them. */
function makeNetwork(engine, folder) {
  const section = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 2 }
  const genesis = {
    config: { chainId: 4711, londonBlock: 0, zeroBaseFee: true, [engine]: section },
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    alloc: {},
  }
  const config = path.join(folder, 'config.json')
  const count = VALIDATORS + 1
  writeFileSync(config, JSON.stringify({ genesis, blockchain: { nodes: { generate: true, count } } }))
  const to = path.join(folder, 'network')
  const [program, ...args] = [
    ...NODE,
    'operator',
    'generate-blockchain-config',
    `--config-file=${config}`,
    `--to=${to}`,
  ]
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the network cannot be made: ${stderr}`)
  const addresses = readdirSync(path.join(to, 'keys')).sort()
  const follower = addresses.at(-1)
  // The last key is that of the node that only follows.
  const genesisFile = path.join(to, 'genesis.json')
  const made = JSON.parse(readFileSync(genesisFile, 'utf8'))
  const list = path.join(folder, 'validators.json')
  writeFileSync(list, JSON.stringify(addresses.filter((address) => address !== follower)))
  const type = engine === 'qbft' ? 'QBFT_EXTRA_DATA' : 'IBFT_EXTRA_DATA'
  const encode = spawnSync(program, [NODE[1], 'rlp', 'encode', `--from=${list}`, `--type=${type}`], {
    encoding: 'utf8',
  })
  if (encode.status !== 0) throw new Error(`the extra data cannot be encoded: ${encode.stderr}`)
  writeFileSync(genesisFile, JSON.stringify({ ...made, extraData: encode.stdout.trim() }))
  return { genesisFile, addresses, keyFile: (address) => path.join(to, 'keys', address, 'key.priv') }
}

class Member {
  #child
  #ended
  output = ''
  enode

  constructor(engine, index, folder, { genesisFile, addresses, keyFile }) {
    this.engine = engine
    this.address = addresses[index]
    this.index = index
    this.command = COMMANDS[index]
    this.options = [
      `--genesis-file=${genesisFile}`,
      `--node-private-key-file=${keyFile(this.address)}`,
      `--data-path=${path.join(folder, `data-${index}`)}`,
      `--p2p-port=${20_000 + ((process.pid * 7 + index * 101) % 20_000)}`,
      ...['--p2p-host=127.0.0.1', '--p2p-interface=127.0.0.1', '--discovery-enabled=false', '--min-gas-price=0'],
      ...[
        '--rpc-http-enabled',
        '--rpc-http-port=0',
        `--rpc-http-api=ETH,NET,ADMIN,${engine === 'qbft' ? 'QBFT' : 'IBFT'}`,
      ],
    ]
  }

  async start() {
    const [program, ...args] = this.command
    const child = spawn(program, [...args, ...this.options], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('close', resolve))
    let printed = ''
    this.url = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        printed += chunk
        this.output = (this.output + chunk).slice(-200_000)
        const [url] = /http:\/\/[\d.]+:\d+/.exec(printed) ?? []
        if (url !== undefined) resolve(url)
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      void this.#ended.then(() => reject(new Error(`node ${this.index} ended: ${printed.slice(-2000)}`)))
    })
    await until(`node ${this.index} listens`, async () => {
      this.enode = await this.rpc('net_enode').catch(() => undefined)
      return this.enode !== undefined
    })
  }

  async kill() {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  async stop() {
    this.#child?.kill('SIGTERM')
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

async function until(what, isReached) {
  for (const end = performance.now() + WAIT_MS; !(await isReached()); await delay(200))
    if (performance.now() > end) throw new Error(`not reached: ${what}`)
}

async function connect(members, others = members) {
  for (const member of members)
    for (const other of others) if (member !== other) await member.rpc('admin_addPeer', other.enode)
}

async function disconnect(members, others) {
  for (const member of members)
    for (const other of others) {
      await member.rpc('admin_removePeer', other.enode)
      await other.rpc('admin_removePeer', member.enode)
    }
}

const heights = (members) => Promise.all(members.map((member) => member.height()))

async function grow(members, by = 2) {
  const goal = Math.max(...(await heights(members))) + by
  await until(`all nodes at block ${goal}`, async () => Math.min(...(await heights(members))) >= goal)
}

/** All nodes have the same blocks. */
async function compareChains(members) {
  const height = Math.min(...(await heights(members)))
  for (let number = 0; number <= height; number++) {
    const hashes = new Set(await Promise.all(members.map((member) => member.hashOf(number))))
    if (hashes.size !== 1) throw new Error(`different blocks ${number}: ${[...hashes].join(', ')}`)
  }
  return height
}

async function killAndRestart(members) {
  const victim = members[Math.floor(random() * VALIDATORS)]
  const others = members.filter((member) => member !== victim)
  await victim.kill()
  await grow(others)
  await victim.start()
  await connect([victim], others)
  await connect(others, [victim])
  await grow(members)
}

/** Neither half has a quorum. */
async function partition(members) {
  const halves = [members.slice(0, 2), members.slice(2)]
  await disconnect(...halves)
  await delay(1500)
  const before = Math.max(...(await heights(members)))
  await delay(5000)
  const after = Math.max(...(await heights(members)))
  if (after > before) throw new Error(`blocks ${before + 1} to ${after} are final without a quorum`)
  await connect(...halves)
  await grow(members)
}

async function votes(members) {
  const [first, second, third, fourth] = members
  for (const isAdd of [false, true]) {
    for (const voter of [first, second, third]) await voter.vote(fourth.address, isAdd)
    const expected = isAdd ? VALIDATORS : VALIDATORS - 1
    await until(`${expected} validators`, async () => (await first.validators()).length === expected)
    await grow(members)
  }
}

async function run(engine, folder) {
  mkdirSync(folder)
  const network = makeNetwork(engine, folder)
  const members = COMMANDS.map((_, index) => new Member(engine, index, folder, network))
  const started = performance.now()
  try {
    const validators = members.slice(0, VALIDATORS)
    await Promise.all(validators.map((member) => member.start()))
    await connect(validators)
    await grow(validators, 3)
    const follower = members[VALIDATORS]
    await follower.start()
    await connect([follower], validators)
    await connect(validators, [follower])
    await grow(members)
    for (let round = 0; round < rounds; round++) await killAndRestart(members)
    await partition(members)
    await votes(members)
    const height = await compareChains(members)
    for (const { output, index } of members)
      if (/\bERROR\b/.test(output)) throw new Error(`node ${index} logs: ${/.*\bERROR\b.*/.exec(output)[0]}`)
    for (const member of members) await member.stop()
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    return `${engine}: passed; ${rounds} kills, a partition, two votes, height ${height}, ${seconds} s`
  } catch (error) {
    const logs = members.map(({ index, output }) => `--- node ${index}\n${output.split('\n').slice(-7).join('\n')}`)
    throw new Error(`${engine}: ${error.message}\n${logs.join('\n')}`, { cause: error })
  } finally {
    await Promise.all(members.map((member) => member.kill()))
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-validators-'))
let status = 0
try {
  for (const engine of engines)
    console.log(`network of validators, seed ${seed}, ${await run(engine, path.join(folder, engine))}`)
} catch (error) {
  console.log(`network of validators, seed ${seed}, ${error.message}`)
  status = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(status)
