/** A node as a process whose event loop is measured. */
import { execFile, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { connected } from './measuredNode.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const SERVER = path.resolve(import.meta.dirname, '../../dist/server.js')
const TURNS = path.join(import.meta.dirname, 'loopTurns.mjs')
const ADDRESS = /http:\/\/[\d.]+:(\d+)/

/** Imports a file of blocks into a data directory. */
export function importChain(options, blocksFile) {
  return promisify(execFile)(process.execPath, [SERVER, ...options, 'blocks', 'import', `--from=${blocksFile}`])
}

export class WatchedNode {
  port
  #child
  #ended
  #rpc
  #output = ''
  /** Called with each piece of output. */
  #onOutput = () => {}

  /** Starts the node; resolves once it answers. */
  static async start({ server = SERVER, options }) {
    const node = new WatchedNode(server, options)
    node.port = Number((await node.#printed(ADDRESS))[1])
    node.#rpc = await node.connection()
    return node
  }

  constructor(server, options) {
    const args = [`--import=${TURNS}`, path.resolve(server), '--rpc-http-enabled', '--rpc-http-port=0', ...options]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: tmpdir() })
    this.#child.stdout.on('data', (chunk) => {
      this.#output += chunk
      this.#onOutput()
    })
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve))
  }

  get pid() {
    return this.#child.pid
  }

  /** A further connection. */
  async connection() {
    const rpc = new RpcConnection(this.port)
    await connected(rpc)
    return rpc
  }

  call(method, params = []) {
    return this.#rpc.call(method, params)
  }

  /** The longest turns of the event loop since the last call. */
  async turns() {
    this.#output = ''
    this.#child.kill('SIGUSR2')
    return JSON.parse((await this.#printed(/turns (.+)\n/))[1])
  }

  async stop() {
    this.#rpc.close()
    this.#child.kill('SIGTERM')
    await this.#ended
  }

  /** @throws when the node ends before the pattern appears in its output */
  async #printed(pattern) {
    for (;;) {
      const found = pattern.exec(this.#output)
      if (found !== null) return found
      const more = new Promise((resolve) => {
        this.#onOutput = () => resolve(true)
      })
      const isRunning = await Promise.race([more, this.#ended.then(() => false)])
      if (!isRunning) throw new Error(`the node ended: ${this.#output.slice(-2000)}`)
    }
  }
}
