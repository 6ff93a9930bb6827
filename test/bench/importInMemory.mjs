/**
 * Imports a chain of transfers into memory and prints microseconds of processor time per transaction, by row, as JSON:
 *
 *   node test/bench/importInMemory.mjs BUILD FOLDER TRANSFERS [PROFILE]
 *
 * BUILD is the root of a built checkout; FOLDER keeps the chain. The senders are recovered before the measurement.
 * PROFILE is a file for the CPU profile of the measured part.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { writeBlockFile } from './blockFile.mjs'
import { profiled } from './cpuProfile.mjs'

const BLOCKS = 60
/** Blocks that are imported before the measurement. */
const WARM_UP = 30
const GAS_LIMIT = 21_000n

const [build, folder, count, profileFile] = process.argv.slice(2)
const transfers = Number(count)
const load = (file) => import(path.join(build, 'dist', file))

const { devGenesis } = await load('src/config/devGenesis.js')
const call = (index) => ({ to: (index % 1000).toString(16).padStart(40, 'a'), data: '', gasLimit: GAS_LIMIT })
const { genesisFile, blocksFile } = await writeBlockFile(folder, {
  genesis: () => devGenesis(),
  blocks: BLOCKS,
  calls: (block) => Array.from({ length: transfers }, (_, i) => call(block * transfers + i)),
})

const [{ Chain }, { StateStore }, { MemoryStore }, { parseGenesis }, { createSchedule }, { loadNativeEvm }] =
  await Promise.all(
    [
      'chain/chain',
      'state/stateStore',
      'storage/memoryStore',
      'config/genesisFile',
      'consensus/createSchedule',
      'evm/loadNativeEvm',
    ].map((file) => load(`src/${file}.js`)),
  )
const [{ systemClock, systemRandom, yieldToHost }, { InlineRecovery }, { silentLogger }, { genesisBlock }] =
  await Promise.all([
    load('adapters/shared/systemPorts.js'),
    load('src/base/ports/inlineRecovery.js'),
    load('src/base/ports/logging.js'),
    load('src/types/genesisHeader.js'),
  ])
const [{ encodedBlock, prepareBlocks }, { decodeBlock }, { readBlocks }, { installNodeCrypto }] = await Promise.all([
  load('src/chain/preparedBlock.js'),
  load('src/types/blockCodec.js'),
  load('src/types/blockSplitter.js'),
  load('adapters/server/crypto/crypto.js'),
])
await installNodeCrypto()

const senders = new InlineRecovery({ clock: systemClock, yieldToHost })
const chain = await open()
const prepared = []
for await (const rlp of readBlocks([readFileSync(blocksFile)]))
  prepared.push((await prepareBlocks([encodedBlock(decodeBlock(rlp), chain.consensus, rlp)], senders))[0])
prepared.shift() // The genesis block.
await run(prepared.slice(0, WARM_UP))
let before
let micros
const measure = async () => {
  before = process.cpuUsage()
  await run(prepared.slice(WARM_UP))
  const { user, system } = process.cpuUsage(before)
  micros = user + system
}
if (profileFile === undefined) await measure()
else writeFileSync(profileFile, JSON.stringify(await profiled(measure)))
console.log(JSON.stringify({ 'imported transfers': micros / (transfers * (BLOCKS - WARM_UP)) }))
await chain.close()

async function run(blocks) {
  for (const block of blocks) {
    const [outcome] = await chain.importRun([block], {})
    if (outcome.kind !== 'imported') throw new Error(`${outcome.kind}: ${outcome.reason}`)
  }
}

async function open() {
  const json = JSON.parse(readFileSync(genesisFile, 'utf8'))
  const { config, ...genesis } = parseGenesis(json, { networkId: BigInt(json.config.chainId) })
  const kv = new MemoryStore()
  return Chain.open({
    kv,
    genesis: {
      alloc: genesis.alloc,
      text: JSON.stringify(json),
      block: (stateRoot) => genesisBlock({ config, ...genesis }, stateRoot),
    },
    modules: {
      config,
      states: new StateStore(kv),
      evm: await loadNativeEvm(systemClock, systemRandom),
      consensus: createSchedule(config),
      keepRevertReasons: false,
    },
    senders,
    clock: systemClock,
    logger: silentLogger,
  })
}
