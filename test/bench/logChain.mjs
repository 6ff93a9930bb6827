/** A chain of calls that each write five logs like those of ERC-20 transfers. */
import { devGenesis } from '../../dist/src/config/devGenesis.js'
import { selector, word } from './abi.mjs'
import { writeBlockFile } from './blockFile.mjs'

export const TOKEN = '70'.repeat(20)
/** keccak256 of Transfer(address,address,uint256) */
export const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const CALLS = 4
const LOGS = 5
export const LOGS_PER_BLOCK = CALLS * LOGS
const GAS_LIMIT = 100_000n
/** Number of blocks between two logs of the rarely logging account. */
const RARE_INTERVAL = 100

/**
 * For each pair of words in the input: LOG3 with the topics TRANSFER, first word, second word, and 32 bytes of data.
 */
const CODE = `60005b803614603c5780602001358135${`7f${TRANSFER}`}60206000a3604001600256${'5b00'}`

const holder = (index) => word(`0x${selector(String(index))}${selector(`${index}'`)}`)
export const RARE_HOLDER = holder('rare')

function genesisWithToken() {
  const json = devGenesis()
  json.alloc[`0x${TOKEN}`] = { balance: '0x0', nonce: '0x1', code: `0x${CODE}` }
  return json
}

function calls(block) {
  return Array.from({ length: CALLS }, (_, call) => {
    let data = ''
    for (let log = 0; log < LOGS; log++) {
      const index = (block * CALLS + call) * LOGS + log
      const isRare = log === 0 && call === 0 && block % RARE_INTERVAL === 0
      data += (isRare ? RARE_HOLDER : holder(index % 5003)) + holder(index % 7919)
    }
    return { to: TOKEN, data, gasLimit: GAS_LIMIT }
  })
}

/**
 * Writes `genesis.json` and `blocks.rlp` into the folder, unless they exist.
 * @returns their paths
 */
export function logChain(folder, { blocks }) {
  return writeBlockFile(folder, { genesis: genesisWithToken, blocks, calls })
}
