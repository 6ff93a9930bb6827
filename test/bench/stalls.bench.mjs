/**
 * The longest time for which a client of eth_blockNumber waits while the node does its heaviest work. Run on built code:
 *
 *   npm run build && node test/bench/stalls.bench.mjs [--only TEXT] [--server dist/server.js] [--slots 1000000] [--seconds 5]
 *     [--chain FOLDER]
 *
 * The client is a process that polls over one connection, at most every 2 ms. Beside its latencies, the longest turns of the
 * node's event loop are shown (loopTurns.mjs): their processor time says what the node itself caused. Work: synchronisation from a
 * peer, of transfers and of blocks that fill their gas with new slots; on a dev chain on disk, blocks of 60 Mgas and of 1.5 Ggas
 * of new slots, a contract of `--slots` slots that is destroyed and created again, and the deletion of its slots; calls of the
 * slowest precompiles by eight clients. `--chain` keeps the generated chains.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { RpcConnection } from './rpcConnection.mjs'

const POLL_MS = 2
const POLLING = 'poll'
const CLIENTS = 8

/** The polling process: answers each message of its parent with the latencies since the last one. */
async function poll(port) {
  const rpc = new RpcConnection(port)
  await rpc.connect()
  let times = []
  process.on('message', () => {
    process.send(times)
    times = []
  })
  for (;;) {
    const startedMs = performance.now()
    await rpc.call('eth_blockNumber')
    times.push(performance.now() - startedMs)
    await delay(POLL_MS)
  }
}

class Poller {
  #child

  constructor(port) {
    this.#child = fork(import.meta.filename, [POLLING, String(port)])
  }

  /** Latencies since the last call. */
  async times() {
    const answer = new Promise((resolve) => this.#child.once('message', resolve))
    this.#child.send('times')
    return answer
  }

  stop() {
    this.#child.kill('SIGKILL')
  }
}

/** Polls a node while some work runs, and prints what the client and the event loop saw. */
class Watch {
  #node
  #poller

  constructor(node) {
    this.#node = node
    this.#poller = new Poller(node.port)
  }

  async during(name, work) {
    await delay(300)
    await this.#poller.times()
    await this.#node.turns()
    const startedMs = performance.now()
    const outcome = await work()
    const seconds = (performance.now() - startedMs) / 1000
    const { wallMs, cpuMs } = await this.#node.turns()
    const times = (await this.#poller.times()).toSorted((a, b) => a - b)
    const at = (share) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1)
    const client = `client p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)} ms`
    const loop = `turn ${wallMs.toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms`
    console.log(`${name.padEnd(46)} ${client.padEnd(48)} ${loop.padEnd(34)} ${seconds.toFixed(1)} s  ${outcome ?? ''}`)
  }

  stop() {
    this.#poller.stop()
  }
}

const hex = (value) => `0x${value.toString(16)}`
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      server: { type: 'string' },
      slots: { type: 'string', default: '1000000' },
      seconds: { type: 'string', default: '5' },
      chain: { type: 'string' },
    },
  })
  const { WatchedNode } = await import('./watchedNode.mjs')
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-stalls-'))
  const context = {
    open: (options) => WatchedNode.start({ server: values.server, options }),
    folder,
    chains: values.chain ?? folder,
    slots: Number(values.slots),
    spanMs: Number(values.seconds) * 1000,
  }
  try {
    for (const [name, scenario] of Object.entries({ synchronisation, slots, precompiles })) {
      if (name.includes(values.only)) await scenario(context)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function watched(open, options, work) {
  const node = await open(options)
  const watch = new Watch(node)
  try {
    await work(node, watch)
  } finally {
    watch.stop()
    await node.stop()
  }
}

async function synchronisation({ open, folder, chains }) {
  const { transferChain, slotChain } = await import('./transferChain.mjs')
  const made = {
    '200 blocks of 100 ERC-20 transfers': [
      'transfers',
      (to) => transferChain(to, { blocks: 200, transfers: 100, isClique: true }),
    ],
    '100 blocks of 2,600 new slots': ['slots', (to) => slotChain(to, { blocks: 100, slots: 2600 })],
  }
  for (const [name, [title, make]] of Object.entries(made)) {
    const { genesisFile, blocksFile } = await make(path.join(chains, `stalls-${title}`))
    const network = [
      '--p2p-interface=127.0.0.1',
      '--p2p-port=0',
      '--discovery-enabled=false',
      `--genesis-file=${genesisFile}`,
    ]
    const served = [`--data-path=${path.join(folder, `${title}-served`)}`, ...network, '--rpc-http-api=ETH,NET,ADMIN']
    const { importChain } = await import('./watchedNode.mjs')
    await importChain(served.slice(0, 1).concat(`--genesis-file=${genesisFile}`), blocksFile)
    const peer = await open(served)
    const enode = await peer.call('net_enode')
    const head = await peer.call('eth_blockNumber')
    const options = [`--data-path=${path.join(folder, `${title}-synced`)}`, ...network, '--rpc-http-api=ETH,NET,ADMIN']
    await watched(open, options, (node, watch) =>
      watch.during(`synchronisation, ${name}`, async () => {
        await node.call('admin_addPeer', [enode])
        while ((await node.call('eth_blockNumber')) !== head) await delay(100)
      }),
    )
    await peer.stop()
  }
}

async function slots({ open, folder, slots }) {
  const options = [
    `--data-path=${path.join(folder, 'slots')}`,
    '--dev-fork=SHANGHAI',
    '--gas-limit=2000000000',
    '--allow-unlimited-gas',
    '--rpc-http-api=ETH,NET,WEB3,DEV',
  ]
  const { FILLER, fillSlots, gasOfSlots } = await import('./transferChain.mjs')
  await watched(open, options, async (node, watch) => {
    const to = `0x${'f1'.repeat(20)}`
    const send = async (data, gas) => {
      const hash = await node.call('eth_sendTransaction', [{ from: SENDER, to, data: `0x${data}`, gas: hex(gas) }])
      for (;;) {
        const receipt = await node.call('eth_getTransactionReceipt', [hash])
        if (receipt?.status === '0x1') return
        if (receipt !== null) throw new Error(`a transaction failed: ${JSON.stringify(receipt)}`)
        await delay(5)
      }
    }
    const write = async (first, count) => send(fillSlots(first, count), gasOfSlots(count))
    const setCode = () => node.call('anvil_setCode', [to, `0x${FILLER}`])
    await setCode()
    let written = 1
    await watch.during('30 blocks of 60 Mgas of new slots', async () => {
      for (let i = 0; i < 30; i++, written += 2600) await write(written, 2600)
    })
    await watch.during('blocks of 1.5 Ggas of new slots', async () => {
      for (; written < slots; written += 65_536) await write(written, 65_536)
      return `${written - 1} slots`
    })
    await watch.during('the contract destroyed', () => send('', 100_000))
    await watch.during('the contract created again', async () => {
      await setCode()
      await write(1, 2600)
    })
    await watch.during('its slots deleted', async () => {
      for (let i = 0; i < 18; i++) await node.call('anvil_mine', [hex(256)])
      const { setTimeout: pause } = await import('node:timers/promises')
      await pause(Math.max(5000, slots / 100))
    })
  })
}

async function precompiles({ open, spanMs }) {
  const { WORST_PRECOMPILES } = await import('./worstPrecompiles.mjs')
  await watched(open, ['--ephemeral'], async (node, watch) => {
    await watch.during('idle', () => delay(spanMs))
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => node.connection()))
    for (const [name, { call, overrides }] of Object.entries(WORST_PRECOMPILES)) {
      await watch.during(`${CLIENTS} clients: ${name}`, async () => {
        const end = performance.now() + spanMs
        let count = 0
        const work = async (client) => {
          for (; performance.now() < end; count++)
            await client.call('eth_call', [call, 'latest', overrides]).catch(() => {})
        }
        await Promise.all(clients.map(work))
        return `${count} calls`
      })
    }
    for (const client of clients) client.close()
  })
}

if (process.argv[2] === POLLING) await poll(Number(process.argv[3]))
else await main()
