/**
 * Destroys a contract with very many slots, creates it again, and kills the node while it deletes the slots.
 *
 *   node test/reliability/giantContract.mjs [--slots 10000000] [--kills 5] [--seed N]
 *
 * A dev chain on disk has Shanghai's rules and keeps few old states. Checked: the destruction is mined like any block and adds
 * next to nothing to the database; after it and after every `kill -9`, no old slot has a value and the new slots have theirs;
 * in the end, no entry of the destroyed storage is left, `db verify` finds nothing, and after `db compact` the database is small.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FILLER, fillSlots, gasOfSlots } from '../bench/transferChain.mjs'
import { RpcClient, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const slots = numberOption('slots', 10_000_000)
const kills = numberOption('kills', 5)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const program = path.resolve(import.meta.dirname, '../../dist/server.js')
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** A predeploy: creates contracts with CREATE2. */
const DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const SALT = '00'.repeat(32)
/** Copies the code behind it. */
const INIT_CODE = `60${(FILLER.length / 2).toString(16).padStart(2, '0')}8060093d393df3${FILLER}`
const SLOTS_PER_BLOCK = 65_536
const NEW_SLOTS = 100
/** ERASED_STORAGE_KEPT_BLOCKS and ERASING_INTERVAL_BLOCKS */
const KEPT_BLOCKS = 4096
const INTERVAL_BLOCKS = 256
/** The block with the destruction may add this to the database. */
const DESTRUCTION_BYTES = 4 * 2 ** 20
/** Of the final database. */
const MOST_BYTES = 16 * 2 ** 20
const KILL_AFTER_MS = { least: 50, most: 2000 }
const DELETION_LIMIT_MS = 1_800_000

const directory = mkdtempSync(path.join(tmpdir(), 'isonode-giant-'))
const hex = (value) => `0x${value.toString(16)}`
const problems = []
const expectThat = (isTrue, text) => {
  if (isTrue) return
  problems.push(text)
  console.log(text)
}
const databaseBytes = () => statSync(path.join(directory, 'database/data.mdb')).size

class Node {
  #process
  #client

  async start() {
    this.#process = await startNode([
      `--data-path=${directory}`,
      '--dev-fork=SHANGHAI',
      // At most half of it is used, so the base fee does not rise.
      '--gas-limit=4000000000',
      '--allow-unlimited-gas',
      '--state-preimages=false',
      '--pruning-enabled',
      '--pruning-blocks-retained=64',
    ])
    this.#client = new RpcClient(this.#process.http, 1)
  }

  call(method, ...params) {
    return this.#client.call(method, params)
  }

  /** @returns the receipt of a transaction that succeeded */
  async send(transaction) {
    const hash = await this.call('eth_sendTransaction', { from: SENDER, ...transaction })
    for (;;) {
      const receipt = await this.call('eth_getTransactionReceipt', hash)
      if (receipt?.status === '0x1') return receipt
      if (receipt !== null) throw new Error(`a transaction failed: ${JSON.stringify(receipt)}`)
      await delay(10)
    }
  }

  async end(signal) {
    this.#client.close()
    this.#process.child.kill(signal)
    await this.#process.ended
  }
}

function command(...args) {
  const child = spawn(process.execPath, [program, `--data-path=${directory}`, 'db', ...args], { stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

/** Number of entries by column. */
async function entries(column) {
  const { output } = await command('stats')
  const [, count] = new RegExp(`^\\s*${column}\\s+([\\d,]+)`, 'm').exec(output) ?? []
  if (count === undefined) return 0
  return Number(count.replaceAll(',', ''))
}

const node = new Node()

async function checkSlots(contract, when) {
  for (const slot of [NEW_SLOTS + 1, Math.floor(slots / 2), slots]) {
    const value = await node.call('eth_getStorageAt', contract, hex(slot), 'latest')
    expectThat(Number(value) === 0, `${when}: slot ${slot} of the destroyed contract is ${value}`)
  }
  const value = await node.call('eth_getStorageAt', contract, hex(NEW_SLOTS), 'latest')
  expectThat(Number(value) === NEW_SLOTS, `${when}: slot ${NEW_SLOTS} of the new contract is ${value}`)
}

async function create() {
  const deploying = { to: DEPLOYER, data: `0x${SALT}${INIT_CODE}`, gas: hex(1_000_000) }
  const contract = await node.call('eth_call', deploying, 'latest')
  await node.send(deploying)
  return contract
}

const fill = (to, first, count) => node.send({ to, data: `0x${fillSlots(first, count)}`, gas: hex(gasOfSlots(count)) })
const mine = (blocks) => node.call('anvil_mine', hex(blocks))

console.log(`a contract of ${slots} slots, ${kills} kills, seed ${seed}`)
await node.start()
const contract = await create()
for (let first = 1; first <= slots; first += SLOTS_PER_BLOCK) {
  await fill(contract, first, Math.min(SLOTS_PER_BLOCK, slots + 1 - first))
}
const full = databaseBytes()
await node.send({ to: contract, gas: hex(100_000) })
expectThat((await node.call('eth_getCode', contract, 'latest')) === '0x', 'the destroyed contract has code')
const again = await create()
expectThat(again === contract, `the contract is created at ${again}, and was at ${contract}`)
await fill(contract, 1, NEW_SLOTS)
const added = databaseBytes() - full
expectThat(added <= DESTRUCTION_BYTES, `the destruction adds ${added} bytes to the database`)
await checkSlots(contract, 'after the destruction')

await mine(KEPT_BLOCKS + INTERVAL_BLOCKS)
for (let kill = 0; kill < kills; kill++) {
  await mine(INTERVAL_BLOCKS)
  await delay(KILL_AFTER_MS.least + random() * (KILL_AFTER_MS.most - KILL_AFTER_MS.least))
  await node.end('SIGKILL')
  await node.start()
  await checkSlots(contract, `after kill ${kill + 1}`)
}

let left = 0
for (const end = performance.now() + DELETION_LIMIT_MS; performance.now() < end; ) {
  await mine(INTERVAL_BLOCKS)
  await delay(10_000 + slots / 1000)
  await node.end('SIGTERM')
  left = await entries('erasedStorage')
  await node.start()
  if (left === 0) break
}
expectThat(left === 0, `${left} destroyed storages are left`)
await checkSlots(contract, 'after the deletion')
await node.end('SIGTERM')
const flat = await entries('flatStorage')
expectThat(flat < 10_000, `${flat} slots are left in the flat view`)
const verified = await command('verify')
expectThat(verified.code === 0, `db verify: ${verified.output}`)
await command('prune', '--pruning-blocks-retained=64')
const compacted = await command('compact')
expectThat(compacted.code === 0, `db compact: ${compacted.output}`)
const small = databaseBytes()
expectThat(small <= MOST_BYTES, `the compacted database has ${small} bytes`)
rmSync(directory, { recursive: true, force: true })
console.log(`database: ${full} bytes, ${added} more by the destruction, ${small} at the end`)
console.log(problems.length === 0 ? 'passed' : `${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
