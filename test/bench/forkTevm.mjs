/**
 * Serves a fork of tevm over HTTP, as the other tools of fork.bench.mjs are served.
 *
 *   node test/bench/forkTevm.mjs <node_modules with tevm> <URL of the remote> <port>
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

const [modules, url, port] = process.argv.slice(2)
const require = createRequire(path.join(modules, 'x.js'))
// Its modules for `import` do not load under Node.
const { createMemoryClient, http } = require('tevm')

const client = createMemoryClient({ fork: { transport: http(url)({}) } })
await client.tevmReady()

/** Its own method names a transaction that is never mined. @returns the hash of the mined transaction */
async function send({ from, to, data, gas }) {
  const { txHash } = await client.tevmCall({ from, to, data, gas: BigInt(gas), createTransaction: true })
  await client.tevmMine()
  return txHash
}

async function answer({ id, method, params }) {
  try {
    const result = await (method === 'eth_sendTransaction' ? send(params[0]) : client.request({ method, params }))
    return { jsonrpc: '2.0', id, result }
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: error.code ?? -32000, message: error.message } }
  }
}

createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const json = await answer(JSON.parse(text))
  response.end(JSON.stringify(json, (_, value) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value)))
}).listen(Number(port), '127.0.0.1')
