/**
 * The cost of permissioning: CPU time of a Clique signer, and of a node that follows it, for transfers.
 *
 *   npm run build && node test/bench/permissioning.bench.mjs [--rounds 7] [--transactions 1000] [--profile DIR]
 *
 * Three such pairs run at once: without rules, with allowlists in files, and with contracts for accounts and nodes (interface
 * version 2). In each round every signer receives the same number of transfers, in turns, and the figures are read once
 * its follower has the block of the last one. Blocks without transactions are not made. The ratio is the median over the
 * rounds of CPU time with the rules to CPU time without. `--profile` writes a CPU profile of each process.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeSenders, RpcClient, signTransaction, startNode } from '../reliability/devNode.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const load = (file) => import(path.join(root, 'dist', file))
const { bytesToHex, bytesToHexUnprefixed } = await load('src/base/primitives/bytes.js')
const { publicKeyOf, publicKeyToAddress } = await load('src/base/primitives/secp256k1.js')
const { encodeExtraData } = await load('src/consensus/clique/extraData.js')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    transactions: { type: 'string', default: '1000' },
    profile: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const transactions = Number(values.transactions)

const CHAIN_ID = 2131
const SENDERS = makeSenders(16)
const NODE_KEYS = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
const ACCOUNTS = `0x${'0'.repeat(36)}aaaa`
const NODES = `0x${'0'.repeat(36)}bbbb`
/** A tick of /proc/<pid>/stat. */
const TICK_MS = 10

const word = (hex) => `0x${hex.padStart(64, '0')}`
/** Answers with the stored word under the word at `offset` of the call data. */
const lookup = (offset) => `0x60${offset}355460005260206000f3`
const idOf = (key) => publicKeyOf(key).slice(-64)
/** The first letters of a node id, as the contract reads them. */
const nodeWord = (key) => bytesToHex(new TextEncoder().encode(bytesToHexUnprefixed(idOf(key)).slice(0, 32)))

function genesis() {
  const storage = (keys) => Object.fromEntries(keys.map((key) => [key, word('1')]))
  const accounts = storage(SENDERS.map(({ hex }) => word(hex.slice(2))))
  return JSON.stringify({
    config: {
      chainId: CHAIN_ID,
      londonBlock: 0,
      zeroBaseFee: true,
      clique: { blockperiodseconds: 1, epochlength: 30_000, createemptyblocks: false },
    },
    gasLimit: '0x2faf080',
    difficulty: '0x1',
    extraData: bytesToHex(encodeExtraData(new Uint8Array(0), [publicKeyToAddress(publicKeyOf(NODE_KEYS[0]))])),
    alloc: {
      ...Object.fromEntries(SENDERS.map(({ hex }) => [hex, { balance: word('de0b6b3a7640000') }])),
      [ACCOUNTS]: { balance: '0x0', code: lookup('04'), storage: accounts },
      [NODES]: { balance: '0x0', code: lookup('84'), storage: storage(NODE_KEYS.map(nodeWord)) },
    },
  })
}

const RULES = {
  off: () => [],
  files: (file, enodes) => [
    '--permissions-accounts-config-file-enabled',
    '--permissions-nodes-config-file-enabled',
    ...['accounts', 'nodes'].map((kind) => {
      const list = kind === 'nodes' ? enodes : SENDERS.map(({ hex }) => hex)
      return `--permissions-${kind}-config-file=${file(`${kind}.toml`, `${kind}-allowlist=${JSON.stringify(list)}\n`)}`
    }),
  ],
  contracts: () => [
    ...['--permissions-accounts-contract-enabled', `--permissions-accounts-contract-address=${ACCOUNTS}`],
    ...['--permissions-nodes-contract-enabled', `--permissions-nodes-contract-address=${NODES}`],
    '--permissions-nodes-contract-version=2',
  ],
}

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-permissioning-'))
const children = []
try {
  await compare()
} finally {
  for (const { child, ended } of children) {
    child.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
}

async function compare() {
  const pairs = {}
  for (const [i, name] of Object.keys(RULES).entries())
    pairs[name] = await startPair(name, 20_000 + (process.pid % 5000) + 2 * i)
  const names = Object.keys(pairs)
  for (const name of names) await turn(pairs[name])
  const found = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]
      found[name].push(await turn(pairs[name]))
    }
  }
  for (const role of ['signer', 'follower']) {
    for (const name of names) {
      const each = (1000 * median(found[name].map((cpu) => cpu[role]))) / transactions
      const ratios = found[name].map((cpu, round) => cpu[role] / found.off[round][role]).sort((a, b) => a - b)
      const range = `${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)}`
      console.log(
        `${role.padEnd(9)} ${name.padEnd(10)} CPU ${each.toFixed(0)} µs per transfer, ratio ${median(ratios).toFixed(3)} (${range})`,
      )
    }
  }
}

async function startPair(name, port) {
  const enodes = NODE_KEYS.map((key, i) => `enode://${bytesToHexUnprefixed(idOf(key))}@127.0.0.1:${port + i}`)
  const running = []
  for (const [i, key] of NODE_KEYS.entries()) {
    const directory = path.join(folder, `${name}-${i}`)
    const file = (title, text) => {
      const target = path.join(folder, `${name}-${i}-${title}`)
      writeFileSync(target, text)
      return target
    }
    const options = [
      `--data-path=${directory}`,
      `--genesis-file=${file('genesis.json', genesis())}`,
      `--node-private-key-file=${file('key', bytesToHexUnprefixed(key))}`,
      ...['--p2p-interface=127.0.0.1', `--p2p-port=${port + i}`, '--discovery-enabled=false'],
      ...(i === 0 ? [] : [`--bootnodes=${enodes[0]}`]),
      ...['--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-http-api=ETH,NET,ADMIN,TXPOOL'],
      ...['--min-gas-price=0', '--tx-pool-limit-by-account-percentage=1'],
      ...RULES[name](file, enodes),
    ]
    const flags =
      values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.join(values.profile, name)}`]
    const node = await startNode(options, [process.execPath, ...flags, path.join(root, 'dist/server.js')])
    children.push(node)
    running.push({ ...node, rpc: new RpcClient(node.http, 4) })
  }
  const [signer, follower] = running
  await follower.rpc.call('admin_addPeer', [enodes[0]])
  await until(async () => (await signer.rpc.call('net_peerCount')) === '0x1', `${name} has no peer`)
  return { signer, follower, nonce: 0 }
}

function transfer(sender, nonce) {
  const fields = {
    chainId: BigInt(CHAIN_ID),
    to: SENDERS[0].address,
    value: 1n,
    gasLimit: 21_000n,
    maxFeePerGas: 1000n,
  }
  return signTransaction(sender, { ...fields, nonce: BigInt(nonce) })
}

/** @returns CPU milliseconds of the signer and of the follower */
async function turn(pair) {
  const each = Math.ceil(transactions / SENDERS.length)
  const raws = []
  for (let i = 0; i < each; i++) {
    for (const sender of SENDERS) raws.push(transfer(sender, pair.nonce + i))
  }
  pair.nonce += each
  const { signer, follower } = pair
  const before = [cpuMs(signer.child.pid), cpuMs(follower.child.pid)]

  const queue = raws.values()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const raw of queue) await signer.rpc.call('eth_sendRawTransaction', [raw])
    }),
  )
  const last = SENDERS.at(-1).hex
  const count = `0x${pair.nonce.toString(16)}`
  await until(
    async () => (await follower.rpc.call('eth_getTransactionCount', [last, 'latest'])) === count,
    'the transfers are not mined',
  )
  return { signer: cpuMs(signer.child.pid) - before[0], follower: cpuMs(follower.child.pid) - before[1] }
}

async function until(check, failure) {
  for (const end = Date.now() + 120_000; Date.now() < end; await delay(100)) if (await check()) return
  throw new Error(failure)
}

function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return TICK_MS * (Number(fields[11]) + Number(fields[12]))
}

function median(list) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}
