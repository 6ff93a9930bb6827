/**
 * A network namespace for each node, so that a partition loses packets as a broken cable does. Needs root on Linux.
 * @module
 */
import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** Networks of peers and of the test. Each run has a third byte that no other one uses. */
const PEERS = '10.77'
const CONTROL = '10.78'
const MAX_RUNS = 250
/** Letters of the bridges: of the peers, of those that are cut off, of the test. */
const BRIDGES = ['a', 'b', 'c']

/** @returns what it prints */
function ip(...args) {
  const { status, stdout, stderr } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`)
  return stdout
}

const tryIp = (...args) => spawnSync('ip', args).status === 0

export function hasNamespaces() {
  const name = `iso-probe-${process.pid}`
  return process.platform === 'linux' && tryIp('netns', 'add', name) && tryIp('netns', 'del', name)
}

/** Removes the namespaces and bridges of runs that were killed: their names have the process id. */
function removeRemains() {
  const names = [...ip('netns', 'list').matchAll(/^(i(\d+)n\d+)/gm)].filter(([, , pid]) => !isRunning(Number(pid)))
  for (const [, name] of names) tryIp('netns', 'del', name)
  const tags = new Set(names.map(([, , pid]) => `i${pid}`))
  for (const tag of tags) for (const letter of BRIDGES) tryIp('link', 'del', `${tag}${letter}`)
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function freeNetwork() {
  const addresses = ip('-brief', 'address')
  for (let i = 0; i < MAX_RUNS; i++) {
    const network = (process.pid + i) % MAX_RUNS
    if (!addresses.includes(` ${CONTROL}.${network}.254/`)) return network
  }
  throw new Error('all networks for namespaces are in use')
}

/** Computers with an address for their peers and another one for the test, which no partition cuts off. */
export class HostNamespaces {
  #names = []
  #bridges = []
  #network = 0

  constructor(count) {
    removeRemains()
    const tag = `i${process.pid}`
    this.#bridges = BRIDGES.map((letter) => `${tag}${letter}`)
    this.#network = freeNetwork()
    const control = this.#bridges[2]
    for (const bridge of this.#bridges) ip('link', 'add', bridge, 'type', 'bridge')
    for (const bridge of this.#bridges) ip('link', 'set', bridge, 'up')
    ip('addr', 'add', `${CONTROL}.${this.#network}.254/24`, 'dev', control)
    for (let i = 0; i < count; i++) {
      const name = `${tag}n${i}`
      this.#names.push(name)
      ip('netns', 'add', name)
      ip('-n', name, 'link', 'set', 'lo', 'up')
      this.#plug(name, `${name}p`, 'peers', `${this.addressOf(i)}/24`, this.#bridges[0])
      this.#plug(name, `${name}c`, 'control', `${this.controlOf(i)}/24`, control)
    }
  }

  #plug(name, outer, inner, address, bridge) {
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name)
    ip('link', 'set', outer, 'master', bridge, 'up')
    ip('-n', name, 'addr', 'add', address, 'dev', inner)
    ip('-n', name, 'link', 'set', inner, 'up')
  }

  addressOf(index) {
    return `${PEERS}.${this.#network}.${index + 1}`
  }

  controlOf(index) {
    return `${CONTROL}.${this.#network}.${index + 1}`
  }

  /** The command that runs a program on this computer. */
  prefixOf(index) {
    return ['ip', 'netns', 'exec', this.#names[index]]
  }

  /** Packets between these computers and the others vanish. */
  split(indexes) {
    for (const index of indexes) ip('link', 'set', `${this.#names[index]}p`, 'master', this.#bridges[1])
  }

  heal() {
    for (const name of this.#names) ip('link', 'set', `${name}p`, 'master', this.#bridges[0])
  }

  close() {
    for (const name of this.#names) tryIp('netns', 'del', name)
    for (const bridge of this.#bridges) tryIp('link', 'del', bridge)
  }
}
