/**
 * Throughput of four QBFT validators in one process, over a network in memory: a block every second, full of ERC-20
 * transfers. Each transaction is submitted to all four nodes by JSON-RPC and executed by all of them.
 *
 *   node test/bench/bft.bench.mjs [--seconds 20] [--rate 1000]
 *
 * Prints transactions per second, and the time from the block timer to the commit. Needs the built node.
 */
import { signRecoverable } from 'tiny-secp256k1'
import { installNodeCrypto } from '../../dist/adapters/server/crypto/crypto.js'
import { systemClock, systemRandom, systemTimers, yieldToHost } from '../../dist/adapters/shared/systemPorts.js'
import { InlineRecovery } from '../../dist/src/base/ports/inlineRecovery.js'
import { KeySigner } from '../../dist/src/base/ports/keySigner.js'
import { silentLogger } from '../../dist/src/base/ports/logging.js'
import { parseGenesisFile } from '../../dist/src/config/genesisFile.js'
import { defaultOptions } from '../../dist/src/config/options.js'
import { encodeExtraData, initialExtraData } from '../../dist/src/consensus/bft/extraData.js'
import { QBFT } from '../../dist/src/consensus/bft/flavour.js'
import { createNode } from '../../dist/src/node/node.js'
import { settingsOf } from '../../dist/src/node/settings/nodeSettings.js'
import { MemoryStore } from '../../dist/src/storage/memoryStore.js'
import { encodeTransaction, signingHash } from '../../dist/src/types/transactionCodec.js'
import { numberOption } from '../reliability/random.mjs'
import { bytes, hex, mapped, selector, word } from './abi.mjs'
import { compileContracts } from './solidity.mjs'

const seconds = numberOption('seconds', 20)
const rate = numberOption('rate', 1000)
const VALIDATORS = 4
const ACCOUNTS = 1000
const LATENCY_MS = 2
const TOKEN = '70'.repeat(20)
const TRANSFER = selector('transfer(address,uint256)')
const BATCH = 100

const key = (index) => new Uint8Array(32).fill(1).map((byte, i) => (i < 4 ? (index >>> (8 * i)) & 255 : byte))
const signers = Array.from({ length: VALIDATORS }, (_, i) => new KeySigner(key(1 + i)))
const accounts = Array.from({ length: ACCOUNTS }, (_, i) => {
  const signer = new KeySigner(key(1000 + i))
  return { key: key(1000 + i), address: hex(signer.address), nonce: 0 }
})

function genesis() {
  const storage = {}
  const alloc = {}
  for (const { address } of accounts) {
    storage[`0x${mapped(1, address)}`] = `0x${word(2n ** 100n)}`
    alloc[`0x${address}`] = { balance: '0x3635c9adc5dea00000' }
  }
  alloc[`0x${TOKEN}`] = { balance: '0x0', nonce: '0x1', code: `0x${compileContracts().Token.runtime}`, storage }
  const addresses = signers.map(({ address }) => address).sort(Buffer.compare)
  const qbft = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 4 }
  const text = JSON.stringify({
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, zeroBaseFee: true, qbft },
    difficulty: '0x1',
    gasLimit: '0x1fffffffffffff',
    timestamp: '0x60000000',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    extraData: `0x${hex(encodeExtraData(initialExtraData(addresses, new Uint8Array(32)), QBFT))}`,
    alloc,
  })
  return { genesis: parseGenesisFile(text), text }
}

let count = 0
/** The next transfer, by accounts in turn. */
function rawTransfer() {
  const account = accounts[count % ACCOUNTS]
  const to = accounts[(Math.imul(count, 0x9e3779b1) >>> 0) % ACCOUNTS].address
  count++
  const unsigned = {
    type: 0,
    chainId: 1337n,
    nonce: BigInt(account.nonce++),
    gasPrice: 1000n,
    gasLimit: 100_000n,
    to: bytes(TOKEN),
    value: 0n,
    data: bytes(TRANSFER + word(`0x${to}`) + word(1)),
  }
  const { signature, recoveryId } = signRecoverable(signingHash(unsigned), account.key)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(`0x${hex(half)}`))
  const v = BigInt(recoveryId) + 35n + 2n * 1337n
  return `0x${hex(encodeTransaction({ ...unsigned, v, yParity: BigInt(recoveryId), r, s }))}`
}

const inboxes = []
function networkOf(index) {
  return {
    open: ({ receive }) => {
      inboxes[index] = receive
    },
    send(packet, { validators, except, exceptPeer }) {
      for (const [peer, { address }] of signers.entries()) {
        const isIn = (list) => list.some((other) => Buffer.compare(other, address) === 0)
        if (peer === index || String(peer) === exceptPeer || !isIn(validators) || isIn(except)) continue
        setTimeout(() => inboxes[peer]?.(packet, String(index)), LATENCY_MS)
      }
    },
    refuse() {},
    charge() {},
    sawHeight() {},
    close() {},
  }
}

await installNodeCrypto()
const ports = { clock: systemClock, timers: systemTimers, random: systemRandom, yieldToHost }
const chosen = genesis()
const options = { ...defaultOptions(false), 'min-gas-price': 0n, 'tx-pool-max-size': 20_000 }
const logger = { ...silentLogger, warn: console.warn, error: console.error, child: () => logger }
const nodes = []
for (const [index, signer] of signers.entries()) {
  const host = {
    ...ports,
    store: new MemoryStore(),
    senders: new InlineRecovery(ports),
    logger,
    platform: 'bench',
    signer,
  }
  nodes.push(await createNode({ ...host, bftNetwork: networkOf(index) }, chosen, settingsOf(options, false)))
}

async function submit(raws) {
  const body = JSON.stringify(
    raws.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })),
  )
  await Promise.all(nodes.map(({ endpoints }) => endpoints.get('http').exchange.handle({ body })))
}

const blocks = []
nodes[0].chain.events.on('head', ({ head }) => {
  const { transactions } = nodes[0].chain.body(head.hash)
  const lateMs = systemClock.now() - Number(head.header.timestamp) * 1000
  blocks.push({ transactions: transactions.length, lateMs })
})
for (const node of nodes) await node.goOnline()

const started = performance.now()
const cpu = process.cpuUsage()
const elapsed = () => (performance.now() - started) / 1000
while (elapsed() < seconds) {
  if (count < elapsed() * rate) await submit(Array.from({ length: BATCH }, rawTransfer))
  else await new Promise((resolve) => setTimeout(resolve, 5))
}
const { user, system } = process.cpuUsage(cpu)
const total = blocks.reduce((sum, { transactions }) => sum + transactions, 0)
const late = blocks.map(({ lateMs }) => lateMs).sort((a, b) => a - b)
console.log(
  `${total} transfers in ${blocks.length} blocks in ${elapsed().toFixed(1)} s: ${(total / elapsed()).toFixed(0)} per second; ` +
    `offered ${count}; processor time ${((user + system) / 1e6).toFixed(1)} s; ` +
    `commit ${late[Math.floor(late.length / 2)]?.toFixed(0)} ms after the timestamp (median)`,
)
for (const node of nodes) await node.close()
process.exit(0)
