/**
 * Growth and speed of a dev chain whose old states are deleted, beside one that keeps all: blocks of transfers among many
 * accounts, on disk and in memory.
 *
 *   node test/bench/pruning.bench.mjs [--blocks 3000] [--transfers 20] [--retained 128] [--only disk]
 *
 * Needs the built node. Prints the database or the memory of the process at a tenth of the blocks and at the end, their
 * ratio, and the CPU time of the process per block.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connected, cpuMs } from './measuredNode.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const PORT = 18723
/** PRUNE_GRACE_MS and some time for the deletion. */
const SETTLE_MS = 20_000
const ACCOUNTS = 50_000
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '3000' },
    transfers: { type: 'string', default: '20' },
    retained: { type: 'string', default: '128' },
    only: { type: 'string', default: '' },
  },
})
const [blocks, transfers] = [values.blocks, values.transfers].map(Number)
const program = path.resolve(import.meta.dirname, '../../dist/server.js')
const hex = (value) => `0x${value.toString(16)}`

for (const place of ['disk', 'memory']) {
  if (!place.includes(values.only)) continue
  for (const isPruned of [true, false]) await measure(place, isPruned)
}

async function measure(place, isPruned) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-pruning-'))
  const options = [
    place === 'disk' ? `--data-path=${folder}` : '--ephemeral',
    `--pruning-enabled=${isPruned}`,
    `--pruning-blocks-retained=${values.retained}`,
    '--logging=OFF',
    `--rpc-http-port=${PORT}`,
  ]
  const child = spawn(process.execPath, [program, ...options], { stdio: 'ignore' })
  const rpc = new RpcConnection(PORT)
  const sizeOf = () =>
    place === 'disk' ? statSync(path.join(folder, 'database/data.mdb')).size : residentBytes(child.pid)
  try {
    await connected(rpc)
    await rpc.call('evm_setAutomine', [false])
    const sizes = []
    const startedCpuMs = cpuMs(child.pid)
    for (let block = 1; block <= blocks; block++) {
      for (let i = 0; i < transfers; i++) {
        const to = hex(0x100000 + (((block * transfers + i) * 7919) % ACCOUNTS))
          .slice(2)
          .padStart(40, '0')
        await rpc.call('eth_sendTransaction', [{ from: SENDER, to: `0x${to}`, value: '0x1', gas: '0x5208' }])
      }
      await rpc.call('evm_mine', [])
      if (block === Math.floor(blocks / 10) || block === blocks) {
        await delay(SETTLE_MS)
        sizes.push(sizeOf())
      }
    }
    const [early, late] = sizes.map((bytes) => bytes / 2 ** 20)
    const perBlockMs = (cpuMs(child.pid) - startedCpuMs) / blocks
    const growth = `${early.toFixed(0)} MiB, then ${late.toFixed(0)} MiB (${(late / early).toFixed(2)})`
    console.log(`${place}, ${isPruned ? 'pruned' : 'all states'}: ${growth}, CPU ${perBlockMs.toFixed(2)} ms a block`)
  } finally {
    rpc.close()
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

function residentBytes(pid) {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kib) * 1024
}
