/** A dev node in a separate process, and the functions that load generators need to use it. */
import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const load = (file) => import(path.join(root, 'dist', file))
const { installNodeCrypto } = await load('adapters/server/crypto/crypto.js')
const { bytesToBigInt, bytesToHex, hexToBytes } = await load('src/base/primitives/bytes.js')
const { keccak256 } = await load('src/base/primitives/keccak.js')
const { publicKeyOf, signHash } = await load('src/base/primitives/secp256k1.js')
const { encodeTransaction, signingHash } = await load('src/types/transactionCodec.js')
await installNodeCrypto()

export const CHAIN_ID = 31337

const BUILT_NODE = [process.execPath, path.join(root, 'dist/server.js')]

/** Starts the built node, or another command; resolves once it prints its address. */
export function startNode(options, [program, ...file] = BUILT_NODE) {
  const args = [...file, '--rpc-http-port=0', '--rpc-ws-port=0', '--logging=WARN', ...options]
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, output }))
  })
  return new Promise((resolve, reject) => {
    const read = (chunk) => {
      output = (output + chunk).slice(-20_000)
      const [http] = /http:\/\/[\d.:]+/.exec(output) ?? []
      const [ws] = /ws:\/\/[\d.:]+/.exec(output) ?? []
      if (http === undefined || ws === undefined) return
      resolve({ child, http, ws, ended, startMs: performance.now() - startedAt })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then(({ code }) => reject(new Error(`the node ended with ${code}: ${output}`)))
  })
}

/** JSON-RPC over persistent connections. */
export class RpcClient {
  #url
  #agent
  #id = 0

  constructor(url, connections) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Rejects with the JSON-RPC error or the connection's error. */
  call(method, params = []) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params })
    const { hostname, port } = this.#url
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.once('error', reject)
        response.once('end', () => {
          try {
            const { result, error } = JSON.parse(text)
            if (error === undefined) resolve(result)
            else reject(Object.assign(new Error(`${method}: ${error.message}`), { code: error.code }))
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }

  close() {
    this.#agent.destroy()
  }
}

/** Deterministic accounts other than the dev accounts: `count` of them. */
export function makeSenders(count) {
  return Array.from({ length: count }, (_, i) => {
    const key = hexToBytes(`0x5${(i + 1).toString(16).padStart(63, '0')}`)
    const address = keccak256(publicKeyOf(key).slice(-64)).slice(12)
    return { key, address, hex: bytesToHex(address) }
  })
}

/** Funds every sender for a long run. */
export async function fund(client, senders) {
  for (const { hex } of senders) await client.call('anvil_setBalance', [hex, `0x${(10n ** 24n).toString(16)}`])
}

/** A signed transfer of 1 wei, in hex, with a fee above any base fee. */
export function signTransfer(sender, nonce, to, priority = 1n, chainId = CHAIN_ID) {
  return signTransaction(sender, {
    chainId: BigInt(chainId),
    nonce: BigInt(nonce),
    to: to.address,
    value: 1n,
    gasLimit: 21_000n,
    maxPriorityFeePerGas: priority,
  })
}

/** A signed EIP-1559 transaction, in hex; `fields` contains at least `nonce` and `gasLimit`. */
export function signTransaction(sender, fields) {
  const unsigned = {
    type: 2,
    chainId: BigInt(CHAIN_ID),
    to: undefined,
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGas: 10n ** 15n,
    maxPriorityFeePerGas: 1n,
    ...fields,
    yParity: 0n,
    r: 0n,
    s: 0n,
  }
  const { signature, yParity } = signHash(signingHash(unsigned), sender.key)
  const [r, s] = [bytesToBigInt(signature.subarray(0, 32)), bytesToBigInt(signature.subarray(32))]
  return bytesToHex(encodeTransaction({ ...unsigned, r, s, yParity: BigInt(yParity) }))
}
