/**
 * Four validators and a node that only follows, as processes on real sockets: three on Node, one on Deno, one on Bun.
 *
 *   node test/reliability/validatorNetwork.mjs [--rounds 10] [--seed N] [--engine qbft|ibft2]
 *
 * The network is made by `operator generate-blockchain-config`. A validator is killed and started again in each round;
 * then the network is cut into two halves, in which no block may be final, and a validator is voted out and in again by
 * RPC. All nodes must have the same chain in the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { numberOption, seededRandom } from './random.mjs'
import {
  checkLogs,
  compareChains,
  connect,
  disconnect,
  failure,
  grow,
  heights,
  Member,
  makeNetwork,
  standstill,
  until,
} from './validatorMembers.mjs'

const rounds = numberOption('rounds', 10)
const seed = numberOption('seed', Date.now() % 1_000_000)
const engineAt = process.argv.indexOf('--engine')
const engines = engineAt < 0 ? ['qbft', 'ibft2'] : [process.argv[engineAt + 1]]
const random = seededRandom(seed)

const VALIDATORS = 4
const RUNTIMES = ['node', 'deno', 'bun', 'node', 'node']

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
  await standstill(members)
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
  const network = makeNetwork(engine, folder, { validators: VALIDATORS, followers: 1 })
  const members = RUNTIMES.map((command, index) => new Member(network, index, { command }))
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
    checkLogs(members)
    for (const member of members) await member.stop()
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    return `${engine}: passed; ${rounds} kills, a partition, two votes, height ${height}, ${seconds} s`
  } catch (error) {
    throw failure(engine, members, error)
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
