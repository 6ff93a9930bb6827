/**
 * Reports in JSON whether a data directory is intact.
 *
 *   node test/reliability/inspect.mjs DIRECTORY [GENESIS_FILE]
 *
 * The genesis file is needed where the block hash is not that of the whole header (IBFT, QBFT).
 *
 * `{ "empty": true }`, or `number` and `hash` of the head; `rootMatches`: the state root computed from the stored nodes
 * of the head's state equals that of its header (or, if the dev chain's state was amended, the recorded one); `linked`:
 * each block from the head down to the genesis block (of a fork: to the block that it continues) is canonical, is the parent of the block above, has its body,
 * receipts and senders, and the index finds its transactions; no block above the head is canonical. `problem` names the
 * first fault found. Reads through the built node.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const [directory, genesisFile] = process.argv.slice(2)
if (directory === undefined) {
  console.error('usage: node inspect.mjs DIRECTORY [GENESIS_FILE]')
  process.exit(1)
}

const dist = path.resolve(import.meta.dirname, '../../dist')
const load = (file) => import(path.join(dist, file))
const { openDataDirectory } = await load('adapters/server/data/dataDirectory.js')
const { BlockStore } = await load('src/chain/blockStore.js')
const { StateStore } = await load('src/state/stateStore.js')
const { bytesToHex, equalBytes } = await load('src/base/primitives/bytes.js')
const { keccak256 } = await load('src/base/primitives/keccak.js')
const { keys } = await load('src/storage/schema.js')
const { storedForkStart } = await load('src/dev/forkedChain.js')
const { readGenesisText } = await load('src/storage/metadata.js')

const hashOf = await hasher()

async function hasher() {
  if (genesisFile === undefined) return (_, raw) => keccak256(raw)
  const { createSchedule } = await load('src/consensus/createSchedule.js')
  const { parseGenesisFile } = await load('src/config/genesisFile.js')
  const schedule = createSchedule(parseGenesisFile(readFileSync(genesisFile, 'utf8')).config)
  return (header, raw) => schedule.hash(header, raw)
}

/** @returns the fault of a canonical block, or undefined */
function problemOf(store, blocks, { header, hash }) {
  const number = Number(header.number)
  const raw = store.get(keys.header(number, hash))
  if (raw === undefined || !equalBytes(hashOf(header, raw), hash)) return 'its header does not have its hash'
  if (!blocks.isCanonical(hash)) return 'it is not canonical'
  const body = blocks.body(hash)
  if (body === undefined) return 'it has no body'
  const { length } = body.transactions
  if (blocks.receipts(hash)?.length !== length) return 'it has not all receipts'
  const { hashes, senders } = blocks.transactionKeys(hash) ?? { hashes: [], senders: [] }
  if (hashes.length !== length || senders.length !== length) return 'it has not all senders'
  for (const [index, transactionHash] of hashes.entries()) {
    const found = blocks.transactionLocation(transactionHash)
    if (found === undefined) return `transaction ${index} is not in the index`
    if (found.index !== index || !equalBytes(found.blockHash, hash))
      return `the index has transaction ${index} elsewhere`
  }
  return undefined
}

/** Number of the block of another chain that this one continues; 0 if there is none. */
function firstNumber(store) {
  const text = readGenesisText(store)
  return (text === undefined ? undefined : storedForkStart(JSON.parse(text)))?.header.number ?? 0n
}

function chainProblem(store, blocks, head) {
  const first = firstNumber(store)
  if (blocks.canonicalHash(Number(head.header.number) + 1) !== undefined) return 'a canonical block is above the head'
  let block = head
  for (;;) {
    if (first > 0n && block.header.number === first) return undefined
    const problem = problemOf(store, blocks, block)
    if (problem !== undefined) return `block ${block.header.number}: ${problem}`
    if (block.header.number === 0n) return undefined
    const parent = blocks.header(block.header.parentHash)
    if (parent === undefined || parent.header.number !== block.header.number - 1n) {
      return `block ${block.header.number}: it has no parent`
    }
    block = parent
  }
}

function rootProblem(store, head) {
  try {
    const walk = new StateStore(store).recomputeRoot(head.stateRoot)
    let step = walk.next()
    while (!step.done) step = walk.next()
    const root = step.value
    return equalBytes(root, head.stateRoot.hash) ? undefined : `the state gives root ${bytesToHex(root)}`
  } catch (error) {
    return `the state cannot be read: ${error.message}`
  }
}

function inspect(store) {
  const blocks = new BlockStore(store)
  const head = blocks.pointer('head')
  if (head === undefined) return { empty: true }
  const state = rootProblem(store, head)
  const chain = chainProblem(store, blocks, head)
  const problem = state ?? chain
  return {
    number: Number(head.header.number),
    hash: bytesToHex(head.hash),
    rootMatches: state === undefined,
    linked: chain === undefined,
    ...(problem === undefined ? {} : { problem }),
  }
}

const data = openDataDirectory(directory, 'process')
try {
  console.log(JSON.stringify(inspect(data.store)))
} finally {
  await data.close()
}
