/** Blocks of the main network as genesis files and payloads of `eth_simulateV1`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { devGenesis } from '../../dist/src/config/devGenesis.js'

const sets = process.env.ISONODE_SETS ?? path.resolve(import.meta.dirname, '../../../shared/bench/sets')
const LONDON = 12_965_000

/** Members of a transaction that a call has as well; the others belong to its signature and place. */
const MEMBERS = ['from', 'to', 'value', 'input', 'nonce', 'accessList', 'maxFeePerGas', 'maxPriorityFeePerGas']
const BLOB_MEMBERS = ['maxFeePerBlobGas', 'blobVersionedHashes']

/**
 * Blocks since London, oldest first, each with its state as the genesis of a dev chain.
 * @returns an iterator over at most `count` of them; none where the set is missing
 */
export function* mainnetBlocks(count) {
  const folder = path.join(sets, 'mainnet')
  if (!existsSync(folder)) return console.error(`the blocks of the main network are skipped: ${folder} does not exist`)
  const files = readdirSync(folder).filter((file) => Number.parseInt(file, 10) >= LONDON)
  files.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  for (const file of files.slice(0, count))
    yield prepared(JSON.parse(gunzipSync(readFileSync(path.join(folder, file)))))
}

function prepared({ number, block, alloc }) {
  const genesis = devGenesis({ fork: 'CANCUN', gasLimit: BigInt(block.gasLimit) })
  const accounts = Object.fromEntries(Object.entries(alloc).map(([address, account]) => [address, withWords(account)]))
  return {
    number,
    transactions: block.transactions.length,
    genesis: { ...genesis, alloc: { ...genesis.alloc, ...accounts } },
    payload: {
      blockStateCalls: [{ blockOverrides: overridesOf(block), calls: block.transactions.map(callOf) }],
      validation: false,
    },
  }
}

/** anvil accepts only whole words in storage. */
function withWords({ storage = {}, ...account }) {
  const padded = Object.entries(storage).map((entry) => entry.map((hex) => `0x${hex.slice(2).padStart(64, '0')}`))
  return { ...account, storage: Object.fromEntries(padded) }
}

function overridesOf({ timestamp, gasLimit, miner, mixHash, baseFeePerGas }) {
  return { time: timestamp, gasLimit, feeRecipient: miner, prevRandao: mixHash, baseFeePerGas }
}

function callOf(transaction) {
  const call = { gas: transaction.gas }
  for (const member of [...MEMBERS, ...BLOB_MEMBERS])
    if (transaction[member] !== undefined && transaction[member] !== null) call[member] = transaction[member]
  if (call.maxFeePerGas === undefined) {
    call.gasPrice = transaction.gasPrice
    delete call.accessList
  }
  return call
}
