/** Chains of ERC-20 transfers, and of transactions that write new slots. */
import { devGenesis } from '../../dist/src/config/devGenesis.js'
import { mapped, selector, word } from './abi.mjs'
import { accounts, SIGNER, writeBlockFile } from './blockFile.mjs'
import { compileContracts } from './solidity.mjs'

const TOKEN = '70'.repeat(20)
const TRANSFER = selector('transfer(address,uint256)')
/** Accounts that hold tokens before the first block, and recipients of the transfers. */
const HOLDERS = 5000
const GAS_LIMIT = 100_000n

const holder = (index) => mapped(7, index.toString(16)).slice(24)

/** With Clique, London is the newest fork, so that other clients know all rules. */
function genesisWithToken(isClique) {
  const json = isClique ? cliqueGenesis() : devGenesis()
  const storage = {}
  for (const { address } of accounts) storage[`0x${mapped(1, address)}`] = `0x${word(2n ** 100n)}`
  for (let i = 0; i < HOLDERS; i++) storage[`0x${mapped(1, holder(i))}`] = `0x${word(1)}`
  json.alloc[`0x${TOKEN}`] = { balance: '0x0', nonce: '0x1', code: `0x${compileContracts().Token.runtime}`, storage }
  return json
}

function cliqueGenesis() {
  const { instant: _, ...config } = devGenesis({ fork: 'LONDON' }).config
  const forks = ['homestead', 'eip150', 'eip155', 'eip158']
  for (const fork of forks) config[`${fork}Block`] = 0
  config.clique = { period: 1, epoch: 30_000 }
  const extraData = `0x${'00'.repeat(32)}${Buffer.from(SIGNER.address).toString('hex')}${'00'.repeat(65)}`
  return { ...devGenesis({ fork: 'LONDON' }), config, extraData, difficulty: '0x1' }
}

/** Transfer `index` of the whole chain. Half of the recipients receive the token for the first time. */
function transfer(index) {
  const to = holder((Math.imul(index, 0x9e3779b1) >>> 0) % (2 * HOLDERS))
  return { to: TOKEN, data: TRANSFER + word(`0x${to}`) + word(index + 1), gasLimit: GAS_LIMIT }
}

/**
 * Writes `genesis.json` and `blocks.rlp` into the folder, unless they exist.
 * @param isClique whether the blocks are sealed with Clique; default: without seals
 * @returns their paths
 */
export function transferChain(folder, { blocks, transfers, isClique = false }) {
  const calls = (block) => Array.from({ length: transfers }, (_, i) => transfer(block * transfers + i))
  return writeBlockFile(folder, { genesis: () => genesisWithToken(isClique), blocks, calls })
}

/** Writes the slots from its first parameter up to its second; without parameters, it destroys itself. */
export const FILLER = '36600657 33ff 5b 602035 600035 5b 808055 600101 8181 10 600d57 00'.replaceAll(' ', '')
const FILLER_AT = 'f1'.repeat(20)
const GAS_PER_SLOT = 22_300

/** Data of a call of {@link FILLER}, in hex without prefix. */
export const fillSlots = (first, count) => word(first) + word(first + count)
/** Gas for such a call. */
export const gasOfSlots = (count) => 100_000 + count * GAS_PER_SLOT

/** Writes a chain of Clique into the folder, each block of which has one transaction that writes new slots. @returns its paths */
export function slotChain(folder, { blocks, slots }) {
  const gasLimit = BigInt(gasOfSlots(slots))
  const genesis = () => {
    const json = cliqueGenesis()
    json.gasLimit = `0x${(gasLimit * 2n).toString(16)}`
    json.alloc[`0x${FILLER_AT}`] = { balance: '0x0', nonce: '0x1', code: `0x${FILLER}` }
    return json
  }
  const calls = (block) => [{ to: FILLER_AT, data: fillSlots(1 + block * slots, slots), gasLimit }]
  return writeBlockFile(folder, { genesis, blocks, calls })
}
