/**
 * Private transactions: their rate, the CPU time of their parts, and the cost of the option for public transactions.
 *
 *   npm run build && node test/bench/privacy.bench.mjs [--rounds 7] [--transactions 400]
 *
 * Two dev nodes over databases on disk run in two processes, one with private transactions and one without; a third process
 * is an enclave that encrypts nothing. In each round both nodes mine the same number of transfers, in turns. The ratio is
 * the median over the rounds of CPU time with the option to CPU time without. Private transactions call a contract that
 * stores and logs a word. Requests go to the exchange without a socket.
 */
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { profiled, selfTimes, shortUrl, topEntries } from './cpuProfile.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const load = (file) => import(path.join(root, 'dist', file))
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    transactions: { type: 'string', default: '400' },
    part: { type: 'string' },
    enclave: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const transactions = Number(values.transactions)

const CHAIN_ID = 31337
const KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte))
const CONTRACT = '6020600c60003960206000f336600f5760005460005260206000f35b6000358060005560005260206000a000'
const SENDERS = 16
/** The second account of the dev chain, which signs the markers. */
const MARKER_KEY = '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

if (values.part === 'enclave') await runEnclave()
else if (values.part !== undefined) await runNode(values.part === 'with')
else await compare()

/** Stores payloads, and answers with them. */
async function runEnclave() {
  const { legacyGroupId } = await load('src/private/privacy/groups.js')
  const privacyGroupId = Buffer.from(legacyGroupId(KEYS.map((key) => new Uint8Array(key)))).toString('base64')
  const payloads = new Map()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text)
    if (request.url === '/send') {
      const key = createHash('sha256').update(text).digest('base64')
      payloads.set(key, { payload: body.payload, senderKey: body.from, privacyGroupId })
      response.end(JSON.stringify({ key }))
      return
    }
    const found = request.url === '/receive' ? payloads.get(body.key) : undefined
    response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {}))
  })
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
}

async function runNode(isPrivate) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-privacy-'))
  // The timers of a node alone do not keep its process alive.
  setInterval(() => {}, 1000)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { setHeapFlags } = await load('adapters/server/program/heapFlags.js')
  setHeapFlags()
  const { openServerNode } = await load('adapters/server/unstable.js')
  const { defaultOptions } = await load('src/config/options.js')
  const { silentLogger } = await load('src/base/ports/logging.js')
  const [sender, recipient] = makeSenders(2)
  const options = { ...defaultOptions(true), 'data-path': path.join(folder, 'data'), 'rpc-http-api': ['ALL'] }
  if (isPrivate) {
    const keyFile = path.join(folder, 'key.pub')
    const markerFile = path.join(folder, 'marker')
    writeFileSync(keyFile, KEYS[0].toString('base64'))
    writeFileSync(markerFile, MARKER_KEY)
    Object.assign(options, {
      'privacy-enabled': true,
      'privacy-url': values.enclave,
      'privacy-public-key-file': keyFile,
      'privacy-marker-transaction-signing-key-file': markerFile,
    })
  }
  const { node, close } = await openServerNode({ options, logger: silentLogger, runtimeName: 'bench' })
  const { exchange } = node.endpoints.get('http')
  let id = 0
  const call = async (method, ...params) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
    const { result, error } = JSON.parse((await exchange.handle({ body })).body)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await call('anvil_setBalance', sender.hex, `0x${(10n ** 24n).toString(16)}`)
  const works = { transfers: transfersOf(call, sender, recipient), ...(isPrivate ? await privateWorks(call) : {}) }
  process.on('message', async ({ work, count, profile }) => {
    if (work === 'end') {
      await close()
      process.exit(0)
    }
    const run = await works[work](count)
    const start = performance.now()
    const before = process.cpuUsage()
    const found = profile ? await profiled(run) : await run()
    const { user, system } = process.cpuUsage(before)
    const parts = profile ? topEntries(selfTimes(found, partOf), 12) : undefined
    process.send({ cpuMs: (user + system) / 1000, ms: performance.now() - start, parts })
  })
  process.send({ isReady: true })
}

function transfersOf(call, sender, recipient) {
  let nonce = 0
  return (count) => {
    const raws = Array.from({ length: count }, () => signTransfer(sender, nonce++, recipient, 1n, CHAIN_ID))
    return async () => {
      for (const raw of raws) {
        const hash = await call('eth_sendRawTransaction', raw)
        if ((await call('eth_getTransactionReceipt', hash))?.status !== '0x1') throw new Error('no receipt')
      }
    }
  }
}

async function privateWorks(call) {
  const sign = await signerOf()
  const senders = Array.from({ length: SENDERS }, () => ({ key: randomBytes(32), nonce: 0 }))
  const confirm = async (raw) => {
    const marker = await call('eea_sendRawTransaction', raw)
    const receipt = await call('priv_getTransactionReceipt', marker)
    if (receipt?.status !== '0x1') throw new Error(`receipt ${JSON.stringify(receipt)}`)
    return receipt
  }
  for (const sender of senders) {
    sender.contract = (await confirm(sign(sender, undefined, CONTRACT))).contractAddress
  }
  const prepare = (list, count) =>
    list.map((sender) =>
      Array.from({ length: Math.ceil(count / list.length) }, (_, i) =>
        sign(sender, sender.contract, (i + 1).toString(16).padStart(64, '0')),
      ),
    )
  const runAll = (lists) => () =>
    Promise.all(
      lists.map(async (raws) => {
        for (const raw of raws) await confirm(raw)
      }),
    )
  return {
    'private, one sender': (count) => runAll(prepare(senders.slice(0, 1), count)),
    'private, 16 senders': (count) => runAll(prepare(senders, count)),
  }
}

/** @returns a function that signs a private transaction of a sender, in hex */
async function signerOf() {
  const { encodePrivateTransaction, privateSigningHash } = await load('src/private/privacy/privateTransaction.js')
  const { bytesToBigInt, bytesToHex, hexToBytes } = await load('src/base/primitives/bytes.js')
  const { signHash } = await load('src/base/primitives/secp256k1.js')
  return (sender, contract, data) => {
    const unsigned = {
      nonce: BigInt(sender.nonce++),
      gasPrice: 2_000_000_000n,
      gasLimit: 100_000n,
      to: contract === undefined ? undefined : hexToBytes(contract),
      value: 0n,
      data: hexToBytes(`0x${data}`),
      v: BigInt(35 + 2 * CHAIN_ID),
      r: 0n,
      s: 0n,
      privateFrom: new Uint8Array(KEYS[0]),
      recipients: { kind: 'keys', keys: [new Uint8Array(KEYS[1])] },
      restriction: 'restricted',
    }
    const { signature, yParity } = signHash(privateSigningHash(unsigned), new Uint8Array(sender.key))
    return bytesToHex(
      encodePrivateTransaction({
        ...unsigned,
        v: unsigned.v + BigInt(yParity),
        r: bytesToBigInt(signature.subarray(0, 32)),
        s: bytesToBigInt(signature.subarray(32)),
      }),
    )
  }
}

/** The program, which is one file, a package, or the runtime. */
function partOf({ url, functionName }) {
  if (functionName === '(idle)' || functionName === '(program)' || functionName === '(root)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collector'
  const short = shortUrl(url)
  if (short.startsWith('node:') || short === '') return 'runtime'
  if (short.startsWith('build-')) return 'isonode'
  const [first, second] = short.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

async function compare() {
  const self = (part, ...more) => fork(import.meta.filename, [`--part=${part}`, ...more])
  const enclave = self('enclave')
  const [{ url }] = await once(enclave, 'message')
  const nodes = { with: self('with', `--enclave=${url}`), without: self('without') }
  for (const node of Object.values(nodes)) {
    node.once('exit', (code) => {
      if (code === 0) return
      enclave.kill()
      process.exit(1)
    })
  }
  await Promise.all(Object.values(nodes).map((node) => once(node, 'message')))
  const ask = async (node, work, count, profile = false) => {
    node.send({ work, count, profile })
    return (await once(node, 'message'))[0]
  }
  for (const node of Object.values(nodes)) await ask(node, 'transfers', transactions)
  const cpu = { with: [], without: [] }
  for (let round = 0; round < rounds; round++) {
    const names = round % 2 === 0 ? ['with', 'without'] : ['without', 'with']
    for (const name of names) cpu[name].push((await ask(nodes[name], 'transfers', transactions)).cpuMs)
  }
  const perTransfer = (name) => `${((1000 * median(cpu[name])) / transactions).toFixed(0)} µs`
  const ratio = median(cpu.with.map((ms, round) => ms / cpu.without[round]))
  console.log(
    `public transfers, CPU each: ${perTransfer('with')} with private transactions, ${perTransfer('without')} without; ratio ${ratio.toFixed(3)}`,
  )
  for (const work of ['private, one sender', 'private, 16 senders']) {
    await ask(nodes.with, work, transactions)
    const { cpuMs, ms } = await ask(nodes.with, work, transactions)
    console.log(
      `${work}: ${((1000 * transactions) / ms).toFixed(0)} per second, CPU ${(cpuMs / transactions).toFixed(2)} ms each`,
    )
  }
  const { parts } = await ask(nodes.with, 'private, 16 senders', transactions, true)
  console.log(`time by part: ${parts.map(({ key, share }) => `${key} ${(100 * share).toFixed(0)} %`).join(', ')}`)
  for (const node of Object.values(nodes)) node.send({ work: 'end' })
  enclave.kill()
}

function median(list) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}
