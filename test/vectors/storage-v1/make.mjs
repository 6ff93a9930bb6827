/**
 * Creates the databases of this folder with a build that writes format 1.
 *
 *   node test/vectors/storage-v1/make.mjs BUILD CONFORMANCE
 *
 * BUILD is the `dist` folder of commit dd3ffd3 (or an ancestor), CONFORMANCE the folder of recorded chains. `dev` is
 * built over JSON-RPC; `frontier` by `blocks import` of a recorded chain with ommers. A dump contains every key and
 * value in key order; `dev.mdb.gz` is LMDB's own file of the same database.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const [build, conformance] = process.argv.slice(2).map((argument) => path.resolve(argument))
const server = path.join(build, 'server.js')
const { openDataDirectory } = await import(path.join(build, 'adapters/server/data/dataDirectory.js'))
const home = mkdtempSync(path.join(tmpdir(), 'isonode-v1-'))

/** key length (4, big-endian) ‖ value length (4) ‖ key ‖ value, for each entry; compressed with gzip */
async function dump(directory, file) {
  const data = openDataDirectory(directory, 'process')
  const parts = []
  let count = 0
  for (const [key, value] of data.store.range({ prefix: new Uint8Array(0) })) {
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32BE(key.length, 0)
    lengths.writeUInt32BE(value.length, 4)
    parts.push(lengths, key, value)
    count++
  }
  await data.close()
  const packed = gzipSync(Buffer.concat(parts), { level: 9 })
  writeFileSync(path.join(import.meta.dirname, file), packed)
  console.log(`${file}: ${count} keys, ${packed.length} bytes`)
}

async function startDev(directory) {
  const port = 20000 + Math.floor(Math.random() * 20000)
  const args = [server, '--dev', `--data-path=${directory}`, `--rpc-http-port=${port}`, '--dev-fork=SHANGHAI']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  let id = 0
  const rpc = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result, error } = await answer.json()
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  for (let tries = 0; ; tries++) {
    try {
      await rpc('eth_chainId')
      break
    } catch (error) {
      if (tries > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once('close', resolve)
      child.kill('SIGTERM')
    })
  return { rpc, stop }
}

const word = (value) => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const address = (value) => `0x${BigInt(value).toString(16).padStart(40, '0')}`

/** Stores the second word of its input in the slot given by the first word; without input, it self-destructs. */
const STORE = '0x3660065733ff5b6020355f355500'

/** Copies the 14 bytes that follow it into memory and returns them. */
const INIT_CODE = `0x600e600a5f39600e5ff3${STORE.slice(2)}`

async function makeDev(directory) {
  const { rpc, stop } = await startDev(directory)
  const [alice, bob, carol] = await rpc('eth_accounts')
  const send = async (transaction) => {
    const hash = await rpc('eth_sendTransaction', { gas: '0x100000', ...transaction })
    const receipt = await rpc('eth_getTransactionReceipt', hash)
    if (receipt === null) throw new Error('not mined')
    return receipt
  }
  const contracts = []
  for (let i = 0; i < 3; i++) contracts.push((await send({ from: alice, data: INIT_CODE })).contractAddress)
  for (const contract of contracts) {
    if ((await rpc('eth_getCode', contract, 'latest')) !== STORE) throw new Error('the contract has other code')
  }
  for (let i = 0; i < 12; i++) {
    const data = `${word(i % 5)}${word(i * 1000 + 1).slice(2)}`
    await send({ from: [alice, bob, carol][i % 3], to: contracts[i % 2], data })
  }
  await send({ from: bob, to: contracts[0], data: `${word(2)}${word(0).slice(2)}` })
  await send({ from: bob, to: address(0xb0b), value: '0xde0b6b3a7640000' })
  // An abandoned branch: its blocks and state diffs remain stored.
  const snapshot = await rpc('evm_snapshot')
  await send({ from: alice, to: contracts[1], data: `${word(9)}${word(99).slice(2)}` })
  await send({ from: alice, to: address(0xdead), value: '0x1' })
  await rpc('evm_revert', snapshot)
  // Amended state, on blocks with and without their own diff.
  await rpc('anvil_setBalance', address(0xfee), '0x8ac7230489e80000')
  await rpc('evm_mine')
  await rpc('anvil_setBalance', address(0xb0b), '0x1234')
  await rpc('anvil_setCode', address(0xc0de), '0x60016002015f5260205ff3')
  await rpc('anvil_setStorageAt', contracts[0], word(7), word(77))
  await rpc('anvil_setStorageAt', contracts[2], word(1), word(11))
  await rpc('anvil_setNonce', address(0xb0b), '0x7')
  await send({ from: carol, to: contracts[2], data: `${word(3)}${word(33).slice(2)}` })
  await rpc('anvil_impersonateAccount', address(0xfee))
  await send({ from: address(0xfee), to: address(0xb0b), value: '0x1' })
  await send({ from: address(0xfee), to: contracts[0], data: `${word(8)}${word(88).slice(2)}` })
  await rpc('anvil_stopImpersonatingAccount', address(0xfee))
  await rpc('hardhat_setNextBlockBaseFeePerGas', '0x5f5e100')
  await rpc('evm_mine')
  await send({ from: bob, to: contracts[1], data: `${word(4)}${word(0).slice(2)}` })
  // The contract self-destructs, with all its slots.
  await send({ from: bob, to: contracts[1] })
  await rpc('hardhat_mine', '0x7')
  await rpc('anvil_setStorageAt', contracts[0], word(7), word(0))
  const head = await rpc('eth_getBlockByNumber', 'latest', false)
  console.log(`dev: block ${Number(head.number)} ${head.hash}`)
  await stop()
}

function importChain(name, directory, ...options) {
  const chain = path.join(conformance, 'besu', name)
  execFileSync(process.execPath, [
    server,
    `--genesis-file=${path.join(chain, 'genesis.json')}`,
    `--data-path=${directory}`,
    ...options,
    'blocks',
    'import',
    `--from=${path.join(chain, 'blocks.bin')}`,
  ])
}

try {
  await makeDev(path.join(home, 'dev'))
  await dump(path.join(home, 'dev'), 'dev.bin.gz')
  const file = readFileSync(path.join(home, 'dev/database/data.mdb'))
  writeFileSync(path.join(import.meta.dirname, 'dev.mdb.gz'), gzipSync(file, { level: 9 }))
  importChain('frontier', path.join(home, 'frontier'), '--network-id=123')
  await dump(path.join(home, 'frontier'), 'frontier.bin.gz')
} finally {
  rmSync(home, { recursive: true, force: true })
}
