/**
 * Reads the public benchmark sets: blocks of the Ethereum main network, and blocks of the Execution Spec Tests that repeat
 * one opcode or precompile.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../../../src/base/primitives/keccak.ts'
import { requestsHash } from '../../../src/chain/validation/resultRules.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { loadNetwork } from '../../../src/config/networks.ts'
import type { GenesisAlloc } from '../../../src/state/genesisState.ts'
import { orderedTrieRoot } from '../../../src/trie/orderedRoot.ts'
import type { Block, Header } from '../../../src/types/block.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { decodeTransaction, transactionHash } from '../../../src/types/transactionCodec.ts'
import { encodeWithdrawal } from '../../../src/types/withdrawalCodec.ts'
import { configOf } from '../chains/chainConfig.ts'
import { allocOf, blockOf, type JsonAlloc, type JsonBlock, type JsonWithdrawal, withdrawalOf } from './setJson.ts'

/** A block with everything that its execution reads. */
export interface SetBlock {
  readonly name: string
  /** The fork of a block of the main network, or the repeated program. */
  readonly program: string
  readonly config: ChainConfig
  /** The state before {@link setup}. */
  readonly alloc: GenesisAlloc
  /** Blocks that prepare the state. */
  readonly setup: readonly Block[]
  readonly block: Block
  /** Hashes for BLOCKHASH, by number. */
  readonly ancestors: ReadonlyMap<bigint, Uint8Array>
  /** Whether BLOCKHASH reads them. */
  readonly readsAncestors: boolean
  readonly expected: Expected
}

/** Results that are known in advance. */
export interface Expected {
  readonly gasUsed?: bigint
  readonly receiptsRoot?: Uint8Array
  readonly logsBloom?: Uint8Array
  readonly stateRoot?: Uint8Array
}

/** Its receipts have a status instead of the state root. */
const STATUS_EIP = 658

/** @param only text that the name of the block contains */
export async function* mainnetBlocks(folder: string, only = ''): AsyncGenerator<SetBlock> {
  const files = readdirSync(path.join(folder, 'mainnet')).filter((file) => file.includes(only))
  files.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  const { config } = await loadNetwork('MAINNET')
  for (const file of files) {
    const json = readJson(path.join(folder, 'mainnet', file)) as MainnetJson
    const block = blockOf(json.block)
    checkHash(block.header, json.block['hash'] as string)
    for (const [i, { hash }] of json.block.transactions.entries()) {
      if (bytesToHex(transactionHash(block.transactions[i] as Block['transactions'][number])) !== hash)
        throw new Error(`${file}: transaction ${i} has another hash`)
    }
    const rules = config.rulesAt(block.header)
    const { gasUsed, receiptsRoot, logsBloom, number, parentHash } = block.header
    const ancestors = Object.entries(json.blockHashes).map(([at, hash]) => [BigInt(at), hexToBytes(hash)] as const)
    yield {
      name: file.replace(/\..*/, ''),
      program: rules.name,
      config,
      alloc: allocOf(json.alloc),
      setup: [],
      block,
      ancestors: new Map([...ancestors, [number - 1n, parentHash]]),
      readsAncestors: ancestors.length > 0,
      expected: rules.eips.has(STATUS_EIP) ? { gasUsed, receiptsRoot, logsBloom } : { gasUsed, logsBloom },
    }
  }
}

interface MainnetJson {
  readonly block: JsonBlock
  readonly alloc: JsonAlloc
  readonly blockHashes: Readonly<Record<string, string>>
}

/**
 * @param only text that the name of the block contains
 * @param megagas size of the blocks in millions of gas; undefined: all
 */
export function* eestBlocks(folder: string, only = '', megagas?: number): Generator<SetBlock> {
  const config = configOf({ activations: [{ fork: 'osaka', time: 0n }], consensus: { kind: 'proofOfStake' } })
  const root = path.join(folder, 'eest')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json.gz'))
  for (const file of files.sort()) {
    for (const [title, test] of Object.entries(readJson(path.join(root, file)) as Record<string, EestJson>)) {
      const { program, size } = nameOf(title)
      const name = `${program} ${size}M`
      if (!name.includes(only) || (megagas !== undefined && size !== megagas)) continue
      const blocks = test.engineNewPayloads.map(({ params }) => payloadBlock(params))
      const block = blocks.pop() as Block
      const ancestors = new Map(blocks.map(({ header }) => [header.number, hashHeader(header)]))
      ancestors.set(0n, hexToBytes(test.genesisBlockHeader.hash))
      const state = { config, alloc: allocOf(test.pre), setup: blocks, block, ancestors, readsAncestors: false }
      yield { ...state, name, program, expected: block.header }
    }
  }
}

interface EestJson {
  readonly pre: JsonAlloc
  readonly genesisBlockHeader: { readonly hash: string }
  readonly engineNewPayloads: readonly { readonly params: PayloadParams }[]
}

type PayloadParams = readonly [Payload, blobHashes: readonly string[], beaconRoot: string, requests: readonly string[]]

type Payload = Readonly<Record<string, string>> & {
  readonly transactions: readonly string[]
  readonly withdrawals: readonly JsonWithdrawal[]
}

function nameOf(title: string): { program: string; size: number } {
  const match = /::test_(\w+)\[fork_Osaka-blockchain_test_engine-(?:(.*)-)?benchmark-gas-value_(\d+)M\]$/.exec(title)
  if (match === null) throw new Error(`unknown title: ${title}`)
  const [, name, parameters, size] = match as unknown as [string, string, string | undefined, string]
  return { program: parameters === undefined ? name : `${name}[${parameters}]`, size: Number(size) }
}

/** The block of a call of `engine_newPayloadV4`. */
function payloadBlock([payload, , beaconRoot, requests]: PayloadParams): Block {
  const bytes = (name: string): Uint8Array => hexToBytes(payload[name] as string)
  const number = (name: string): bigint => BigInt(payload[name] as string)
  const encodings = payload.transactions.map(hexToBytes)
  const withdrawals = payload.withdrawals.map(withdrawalOf)
  const header: Header = {
    parentHash: bytes('parentHash'),
    ommersHash: EMPTY_LIST_HASH,
    beneficiary: bytes('feeRecipient'),
    stateRoot: bytes('stateRoot'),
    transactionsRoot: orderedTrieRoot(encodings),
    receiptsRoot: bytes('receiptsRoot'),
    logsBloom: bytes('logsBloom'),
    difficulty: 0n,
    number: number('blockNumber'),
    gasLimit: number('gasLimit'),
    gasUsed: number('gasUsed'),
    timestamp: number('timestamp'),
    extraData: bytes('extraData'),
    mixHash: bytes('prevRandao'),
    nonce: new Uint8Array(8),
    baseFeePerGas: number('baseFeePerGas'),
    withdrawalsRoot: orderedTrieRoot(withdrawals.map(encodeWithdrawal)),
    blobGasUsed: number('blobGasUsed'),
    excessBlobGas: number('excessBlobGas'),
    parentBeaconBlockRoot: hexToBytes(beaconRoot),
    requestsHash: requestsHash(requests.map(hexToBytes)),
  }
  checkHash(header, payload['blockHash'] as string)
  return { header, transactions: encodings.map(decodeTransaction), ommers: [], withdrawals }
}

function checkHash(header: Header, expected: string): void {
  const actual = bytesToHex(hashHeader(header))
  if (actual !== expected) throw new Error(`block ${header.number} has the hash ${actual}, not ${expected}`)
}

function readJson(file: string): unknown {
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))
}
