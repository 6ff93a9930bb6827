/**
 * The blocks that simulated networks exchange: a short proof-of-work chain with two losing branches. Built once per
 * process, and imported without checking seals.
 * @module
 */
import type { SenderRecovery } from '../../src/base/ports/host.ts'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import type { ChainHeader } from '../../src/chain/contract.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import type { NodeGenesis } from '../../src/node/node.ts'
import { encodeBlock } from '../../src/types/blockCodec.ts'
import { genesisBlock } from '../../src/types/genesisHeader.ts'
import { KnownSenders } from '../support/chains/knownSenders.ts'
import { openTestChain } from '../support/chains/testChain.ts'
import { ALICE, BOB, planBlock, plannedOf, signed } from '../support/nodes/devChain.ts'
import { installSimulationCrypto } from './sharedRecovery.ts'

export interface SourceBlock {
  readonly rlp: Uint8Array
  readonly hash: string
  readonly parentHash: string
  /** Index of its branch. */
  readonly branch: number
}

export interface BlockTree {
  readonly genesis: NodeGenesis
  /** Parents precede children. */
  readonly blocks: readonly SourceBlock[]
  /** The heaviest block, on which all nodes must finally agree. */
  readonly tip: ChainHeader
  /** Number of transactions of {@link sender} up to a block, by block hash. */
  readonly nonces: ReadonlyMap<string, bigint>
  readonly sender: Uint8Array
  readonly senders: SenderRecovery
  readonly evmModule: WebAssembly.Module
}

/** Number of the block after which a branch starts, and its length. The last branch is the heaviest. */
const BRANCHES: readonly (readonly [fork: number, length: number])[] = [
  [0, 5],
  [2, 4],
  [4, 4],
]

const GENESIS = JSON.stringify({
  config: { chainId: 1337, londonBlock: 0, ethash: { fixeddifficulty: 1000 } },
  difficulty: '0x1000',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x3b9aca00',
  timestamp: '0x60000000',
  alloc: Object.fromEntries([ALICE, BOB].map(({ address }) => [address, { balance: '0x3635c9adc5dea00000' }])),
})

let tree: Promise<BlockTree> | undefined

export function blockTree(): Promise<BlockTree> {
  tree ??= buildTree()
  return tree
}

async function buildTree(): Promise<BlockTree> {
  await installSimulationCrypto()
  const genesis = parseGenesisFile(GENESIS)
  const chain = await openTestChain({
    config: genesis.config,
    genesis: { alloc: genesis.alloc, text: GENESIS, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
  })
  const sender = hexToBytes(ALICE.address)
  const nonces = new Map([[bytesToHex(chain.genesis.hash), 0n]])
  const blocks: SourceBlock[] = []
  let main: ChainHeader[] = [chain.genesis]
  for (const [branch, [fork, length]] of BRANCHES.entries()) {
    const line = main.slice(0, fork + 1)
    for (let i = 0; i < length; i++) {
      const parent = line.at(-1) as ChainHeader
      const nonce = Number(nonces.get(bytesToHex(parent.hash)))
      const raw = await signed(ALICE, { nonce, value: BigInt(branch + 1), maxFeePerGas: 20_000_000_000n })
      const plan = planBlock(parent, {
        transactions: i % 2 === 1 ? [] : [plannedOf(raw)],
        beneficiary: new Uint8Array(20).fill(branch + 1),
        timestamp: parent.header.timestamp + 10n,
      })
      const candidate = await chain.build(plan, parent)
      if (candidate === undefined) throw new Error('no block was built')
      await chain.commit(candidate)
      const block = chain.headerByHash(candidate.hash) as ChainHeader
      line.push(block)
      nonces.set(bytesToHex(block.hash), chain.stateAt(block).getAccount(sender)?.nonce ?? 0n)
      blocks.push({
        rlp: encodeBlock(candidate.block),
        hash: bytesToHex(block.hash),
        parentHash: bytesToHex(parent.hash),
        branch,
      })
    }
    main = line
  }
  const tip = main.at(-1) as ChainHeader
  const evmModule = await compileNativeModule()
  return { genesis: { genesis, text: GENESIS }, blocks, tip, nonces, sender, senders: new KnownSenders(), evmModule }
}
