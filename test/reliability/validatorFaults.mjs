/**
 * Faults of a network of validators, as processes on real sockets.
 *
 *   node test/reliability/validatorFaults.mjs [--seconds 60] [--seed N] [--only TEXT]
 *
 * `--seconds` is the time for which two of four validators are away, and bounds the other faults:
 * - away: then they come back, and a block follows soon;
 * - paused: a follower and a validator stand still in turn, and keep all their peers;
 * - split, late: seven validators on Node, Deno and Bun, of which two are dead, or one is dead and another has a clock 20 s
 *   behind, are cut into two parts, and connected soon after;
 * - twins: one of seven validators is two processes with one key, which propose different blocks in the same round, and
 *   another has a clock 20 s behind; the others are killed one after the other, and cut into two parts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { HostNamespaces, hasNamespaces } from './hostNamespaces.mjs'
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

const seconds = numberOption('seconds', 60)
const seed = numberOption('seed', Date.now() % 1_000_000)
const onlyAt = process.argv.indexOf('--only')
const only = onlyAt < 0 ? '' : process.argv[onlyAt + 1]
const random = seededRandom(seed)

/** Short outages show that the network goes on, long ones how soon. Others may use the machine during short runs. */
const isLong = seconds >= 60
const RETURN_LIMIT_MS = isLong ? 10_000 : 60_000
const LEVEL_LIMIT_MS = isLong ? 5_000 : 60_000
const KEPT_LIMIT_MS = isLong ? 30_000 : 120_000
/** MAX_BFT_ROUND_MS */
const MAX_ROUND_MS = 60_000
const MAX_PAUSES = 14
const MAX_KILLS = 50
const LATE_MS = 20_000
/** A third of the pauses' time is for the recovery. */
const SECONDS_PER_PAUSE = 20
const SECONDS_PER_KILL = 12
const LIE = /dropped a peer with a wrong answer|breachOfProtocol/

const range = (count) => Array.from({ length: count }, (_, i) => i)

function maintainAll(members) {
  for (const member of members) member.maintain(members.filter((other) => other !== member))
}

/** Blocks that appear for a while. */
async function blocksIn(members, ms) {
  const before = Math.max(...(await heights(members)))
  await delay(ms)
  return Math.max(...(await heights(members))) - before
}

/** Two of four validators are killed, and start again after a while. */
async function away(folder, members) {
  const network = makeNetwork('qbft', folder, { validators: 4, followers: 0, requestTimeoutSeconds: 1 })
  for (const index of range(4)) members.push(new Member(network, index))
  maintainAll(members)
  await Promise.all(members.map((member) => member.start()))
  await grow(members, 3)
  const [first, second, third, fourth] = members
  await Promise.all([third.kill(), fourth.kill()])
  await standstill(members.slice(0, 2))
  const made = await blocksIn([first, second], seconds * 1000)
  if (made > 0) throw new Error(`${made} blocks without a quorum`)
  const startedMs = performance.now()
  await Promise.all([third.start(), fourth.start()])
  await grow(members, 1, RETURN_LIMIT_MS)
  const took = (performance.now() - startedMs) / 1000
  await compareChains(members)
  return `a block ${took.toFixed(1)} s after the start of two of four validators, which were away for ${seconds} s`
}

/** A follower that found the others by discovery, and a validator, stand still in turn. */
async function paused(folder, members) {
  const network = makeNetwork('qbft', folder, { validators: 4, followers: 1 })
  const boot = new Member(network, 0, { extra: ['--discovery-enabled=true'] })
  const extra = ['--discovery-enabled=true', `--bootnodes=${boot.enode}`]
  members.push(boot, ...range(4).map((i) => new Member(network, i + 1, { extra })))
  await boot.start()
  for (const member of members.slice(1)) await member.start()
  const isComplete = async () =>
    (await Promise.all(members.map((member) => member.peers()))).every((count) => count === 4)
  await until('all nodes are connected', isComplete)
  await grow(members, 3)
  const pauses = Math.max(2, Math.min(MAX_PAUSES, Math.ceil(seconds / SECONDS_PER_PAUSE)))
  let longest = 0
  for (let i = 0; i < pauses; i++) {
    await (i % 2 === 0 ? members[4] : members[2]).pause(6000 + 6000 * random())
    const recovered = await until('all nodes are connected again', isComplete, KEPT_LIMIT_MS)
    longest = Math.max(longest, recovered, await grow(members, 2, KEPT_LIMIT_MS))
  }
  for (const { output, index } of members)
    if (LIE.test(output)) throw new Error(`node ${index} took a peer for a liar: ${LIE.exec(output)[0]}`)
  await compareChains(members)
  return `${pauses} pauses of 6 to 12 s, all peers and new blocks within ${longest.toFixed(1)} s`
}

/**
 * Seven validators, of which two are faulty: the others are a quorum, until they are cut into two parts.
 * @param lateCount of the faulty ones are behind by their clocks; the others are dead
 */
async function cut(folder, members, lateCount) {
  const network = makeNetwork('qbft', folder, { validators: 7, followers: 0 })
  const hosts = hasNamespaces() ? new HostNamespaces(7) : undefined
  try {
    const commands = ['node', 'deno', 'bun', 'node', 'deno', 'node', 'node']
    for (const [index, command] of commands.entries()) {
      const place = hosts && {
        host: hosts.addressOf(index),
        rpcHost: hosts.controlOf(index),
        prefix: hosts.prefixOf(index),
      }
      const lateMs = index >= 5 && index < 5 + lateCount ? LATE_MS : 0
      members.push(new Member(network, index, { command, lateMs, ...place }))
    }
    maintainAll(members)
    await Promise.all(members.map((member) => member.start()))
    const timely = members.slice(0, 5)
    await grow(timely, 3)
    const late = members.slice(5, 5 + lateCount)
    await Promise.all(members.slice(5 + lateCount).map((member) => member.kill()))
    await grow(timely, 2)
    const [left, right] = [timely.slice(0, 3), [...timely.slice(3), ...late]]
    if (hosts === undefined) await disconnect(left, right)
    else hosts.split(right.map(({ index }) => index))
    await standstill(timely)
    const made = await blocksIn(timely, Math.min(seconds, 90) * 1000)
    if (made > 0) throw new Error(`${made} blocks without a quorum`)
    if (hosts === undefined) await connect(left, right)
    else hosts.heal()
    const counts = () => Promise.all(timely.map((member) => member.peers()))
    const all = timely.length + late.length - 1
    const met = await until('all are connected', async () => Math.min(...(await counts())) >= all, LEVEL_LIMIT_MS)
    // A dead proposer costs the rest of its round, which the outage has lengthened.
    const took = met + (await grow(timely, 1, 2 * MAX_ROUND_MS))
    const goal = Math.max(...(await heights(timely))) + 5
    await until('further blocks', async () => Math.min(...(await heights(timely))) >= goal)
    // A late node takes no block from the future.
    await until('late nodes follow', async () => (await heights(late)).every((height) => height >= goal))
    await compareChains([...timely, ...late])
    const how = hosts === undefined ? 'by RPC' : 'with lost packets'
    return `connected ${met.toFixed(1)} s, and a block ${took.toFixed(1)} s, after a split ${how} of seven validators, ${2 - lateCount} dead and ${lateCount} late`
  } finally {
    await Promise.all(members.map((member) => member.kill()))
    hosts?.close()
  }
}

/** Five honest validators are a quorum of seven. */
async function twins(folder, members) {
  const network = makeNetwork('qbft', folder, { validators: 7, followers: 1 })
  const timely = range(5).map((i) => new Member(network, i))
  const late = new Member(network, 5, { lateMs: LATE_MS })
  // Blocks that differ by their extra data only.
  const pair = [6, 7].map((i) => new Member(network, i, { keyOf: 6, extra: [`--miner-extra-data=0x0${i}`] }))
  const honest = [...timely, late]
  members.push(...honest, ...pair)
  maintainAll(honest)
  // An honest validator has one connection to the key: half of them hear each twin.
  pair[0].maintain(timely.slice(0, 3))
  pair[1].maintain([...timely.slice(3), late])
  await Promise.all(members.map((member) => member.start()))
  await grow(timely, 3)
  const kills = Math.max(2, Math.min(MAX_KILLS, Math.ceil(seconds / SECONDS_PER_KILL)))
  for (let i = 0; i < kills; i++) {
    const victim = timely[Math.floor(random() * timely.length)]
    await victim.kill()
    await victim.start()
    await grow(timely)
  }
  const halves = [timely.slice(0, 3), [...timely.slice(3), late]]
  await disconnect(...halves)
  await standstill(timely)
  const made = await blocksIn(timely, 10_000)
  if (made > 0) throw new Error(`${made} blocks without a quorum`)
  await connect(...halves)
  const took = await grow(timely, 1, 2 * MAX_ROUND_MS)
  await grow(timely, 7)
  const goal = Math.max(...(await heights(timely)))
  await until('all others follow', async () => Math.min(...(await heights(members))) >= goal)
  const height = await compareChains(members)
  const disputed = timely.filter(({ output }) => /round [1-9]/.test(output)).length
  return `${kills} kills, a split and a key of two validators, a block ${took.toFixed(1)} s after the split, height ${height}, later rounds at ${disputed} of 5`
}

const split = (folder, members) => cut(folder, members, 0)
const late = (folder, members) => cut(folder, members, 1)

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-faults-'))
let passed = 0
let failed = 0
for (const scenario of [away, paused, split, late, twins]) {
  const { name } = scenario
  if (!name.includes(only)) continue
  const members = []
  try {
    const result = await scenario(path.join(folder, name), members)
    checkLogs(members)
    console.log(`${name}, seed ${seed}: ${result}`)
    passed++
  } catch (error) {
    console.log(failure(`${name}, seed ${seed}`, members, error).message)
    failed++
  } finally {
    await Promise.all(members.map((member) => member.kill()))
  }
}
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
