/** Two built nodes: one serves a chain to the other over loopback. */
import { spawn } from 'node:child_process'
import path from 'node:path'

const server = path.resolve(import.meta.dirname, '../../../dist/server.js')
const START_LIMIT_MS = 60_000
const POLL_MS = 50

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function call(port, method, ...params) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** A node with a network, as a process. */
export class NodeProcess {
  output = ''
  #child
  #closed

  /** @param nodeOptions options of the runtime */
  constructor({ genesisFile, directory, nodeOptions = [], options = [] }) {
    const network = ['--p2p-interface=127.0.0.1', '--p2p-port=0', '--discovery-enabled=false']
    const rpc = ['--rpc-http-enabled', '--rpc-http-port=0', '--rpc-http-api=ETH,NET,ADMIN']
    this.#child = spawn(
      process.execPath,
      [
        ...nodeOptions,
        server,
        `--genesis-file=${genesisFile}`,
        `--data-path=${directory}`,
        ...network,
        ...rpc,
        ...options,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk) => {
        this.output += chunk
      })
    }
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve({ code, signal }))
    })
  }

  /** @throws when the pattern does not appear in the output in time */
  async printed(pattern, limitMs = START_LIMIT_MS) {
    for (const end = performance.now() + limitMs; ; await pause(POLL_MS)) {
      const match = pattern.exec(this.output)
      if (match !== null) return match
      if (this.#child.exitCode !== null || performance.now() > end) {
        throw new Error(`${pattern} is missing in: ${this.output.slice(-2000)}`)
      }
    }
  }

  async call(method, ...params) {
    const [, port] = await this.printed(/JSON-RPC\s+http:\/\/127\.0\.0\.1:(\d+)/)
    return call(port, method, ...params)
  }

  /** Connects to another node. */
  async connect(other) {
    await this.call('admin_addPeer', await other.call('net_enode'))
  }

  kill(signal = 'SIGTERM') {
    this.#child.kill(signal)
    return this.#closed
  }
}
