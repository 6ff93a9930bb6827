/**
 * The first block of a chain, from a genesis file.
 * @see docs/reference/cli-and-config.md section 9
 * @module
 */

import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { sha256 } from '../base/primitives/sha256.ts'
import type { Genesis } from '../config/genesisFile.ts'
import type { Block, Header } from './block.ts'

/** EIP-1559: base fee of the first block that has one, in wei. */
const INITIAL_BASE_FEE = 1_000_000_000n
/** EIP-7685: hash of an empty list of requests. */
const EMPTY_REQUESTS_HASH: Uint8Array = sha256(EMPTY_BYTES)

/** @param stateRoot root of the state with the file's accounts, 32 bytes */
export function genesisHeader({ config, fields }: Genesis, stateRoot: Uint8Array): Header {
  const { baseFeePerGas, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, ...given } = fields
  const { eips } = config.rulesAt(fields)
  const hasBaseFee = eips.has(1559) || baseFeePerGas !== undefined
  return {
    ...given,
    ommersHash: EMPTY_LIST_HASH,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    gasUsed: 0n,
    ...(hasBaseFee ? { baseFeePerGas: baseFeePerGas ?? INITIAL_BASE_FEE } : {}),
    ...(eips.has(4895) ? { withdrawalsRoot: EMPTY_TRIE_ROOT } : {}),
    ...(eips.has(4844) ? { blobGasUsed: blobGasUsed ?? 0n, excessBlobGas: excessBlobGas ?? 0n } : {}),
    ...(eips.has(4788) ? { parentBeaconBlockRoot: parentBeaconBlockRoot ?? new Uint8Array(32) } : {}),
    ...(eips.has(7685) ? { requestsHash: EMPTY_REQUESTS_HASH } : {}),
  }
}

export function genesisBlock(genesis: Genesis, stateRoot: Uint8Array): Block {
  const header = genesisHeader(genesis, stateRoot)
  const body = { header, transactions: [], ommers: [] }
  return header.withdrawalsRoot === undefined ? body : { ...body, withdrawals: [] }
}
