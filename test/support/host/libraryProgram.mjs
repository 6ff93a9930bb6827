/**
 * Programs that use the library. Each must end by itself, without process.exit. Runs on Node, Deno and Bun.
 * Arguments: specifier of the library, names of scenarios.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

const [specifier, ...names] = process.argv.slice(2)
const { createBrowserNode, startNode } = await import(specifier)

/** Counts down from 2^32 - 1, which takes minutes with a trace. */
const ENDLESS = { data: '0x5b5f56', gas: '0xffffffffff' }

function check(actual, expected) {
  const [text, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (text !== wanted) throw new Error(`expected ${wanted}, got ${text}`)
}

async function codeOf(promise) {
  try {
    await promise
  } catch (error) {
    return error.code
  }
  return undefined
}

async function post(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const { result } = await (await fetch(url, { method: 'POST', body })).json()
  return result
}

async function transfer({ request }) {
  const [from, to] = await request('eth_accounts')
  return request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] })
}

async function useNode(node) {
  const head = new Promise((resolve) => node.on('newHeads', resolve))
  await transfer(node)
  check((await head).number, '0x1')
  check(await node.request('eth_blockNumber'), '0x1')
}

const scenarios = {
  async listening() {
    const nodes = await Promise.all([startNode(), startNode({ blockTime: 60 })])
    await useNode(nodes[0])
    check(await Promise.all(nodes.map(({ url }) => post(url, 'eth_blockNumber'))), ['0x1', '0x0'])
    const { WebSocket = (await import('ws')).WebSocket } = globalThis
    const socket = new WebSocket(nodes[0].wsUrl)
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    await Promise.all(nodes.flatMap((node) => [node.close(), node.close()]))
    await nodes[0].close()
  },

  async unserved() {
    const node = await startNode({ listen: false })
    await useNode(node)
    await node.close()
  },

  /** An interval alone does not keep a process alive, but an open node does. */
  async interval() {
    const node = await startNode({ listen: false, blockTime: 0.2 })
    await new Promise((resolve) => node.on('newHeads', resolve))
    await node.close()
  },

  async duringStart() {
    const controller = new AbortController()
    const started = startNode({ signal: controller.signal })
    controller.abort()
    await started.then(
      () => check('started', 'aborted'),
      () => {},
    )
  },

  async duringRequests() {
    const node = await startNode({ listen: false })
    const pending = codeOf(node.request('debug_traceCall', [ENDLESS, 'latest', {}]))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await node.close()
    check(await pending, 4900)
    check(await codeOf(node.request('eth_chainId')), 4900)
  },

  /** Traces run on a thread. */
  async onDisk() {
    const directory = mkdtempSync(path.join(tmpdir(), 'isonode-library-'))
    try {
      const node = await startNode({ dataPath: directory })
      const hash = await transfer(node)
      check((await node.request('debug_traceTransaction', [hash])).failed, false)
      const pending = codeOf(node.request('debug_traceCall', [ENDLESS, 'latest', {}]))
      await node.close()
      check(await pending, 4900)
      const again = await startNode({ listen: false, dataPath: directory })
      check(await again.request('eth_blockNumber'), '0x1')
      await again.close()
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },

  async browser() {
    const node = await createBrowserNode()
    await useNode(node)
    await Promise.all([node.close(), node.close()])
  },

  /** A node in memory without a server holds nothing that would have to be closed. */
  async browserLeftOpen() {
    await useNode(await createBrowserNode())
  },
}

for (const name of names.length > 0 ? names : Object.keys(scenarios)) {
  await scenarios[name]()
  console.log(`done: ${name}`)
}
