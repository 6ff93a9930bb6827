/** The dev chain in memory: its genesis, signing accounts, blocks of given transactions. */
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { BlockPlan, PlannedTransaction } from '../../../src/chain/transition/buildInput.ts'
import type { Rejection } from '../../../src/chain/transition/rejection.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { decodeTransaction, transactionHash, transactionSender } from '../../../src/types/transactionCodec.ts'
import { openTestChain, type TestChainOptions } from '../chains/testChain.ts'

export const DEV_CHAIN = 31337

/** The first two accounts of the dev mnemonic. */
export const ALICE: PrivateKeyAccount = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
export const BOB: PrivateKeyAccount = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
)

/** @param settings of its genesis */
export function openDevChain(
  options: Omit<TestChainOptions, 'config' | 'genesis'> = {},
  settings: Parameters<typeof devGenesis>[0] = {},
): Promise<Chain> {
  const json = devGenesis(settings)
  const genesis = parseGenesis(json, { networkId: BigInt(DEV_CHAIN) })
  return openTestChain({
    ...options,
    config: genesis.config,
    genesis: {
      alloc: genesis.alloc,
      text: JSON.stringify(json),
      block: (stateRoot) => genesisBlock(genesis, stateRoot),
    },
  })
}

type Fields = Parameters<PrivateKeyAccount['signTransaction']>[0]

/** Returns a signed transaction of type 2, by default with sufficient gas and fees. */
export async function signed(
  account: PrivateKeyAccount,
  fields: Partial<Fields> & { nonce: number },
): Promise<Uint8Array> {
  const whole = {
    type: 'eip1559',
    chainId: DEV_CHAIN,
    to: BOB.address,
    gas: 100_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...fields,
  } as Fields
  return hexToBytes(await account.signTransaction(whole))
}

export function plannedOf(raw: Uint8Array): PlannedTransaction {
  const transaction = decodeTransaction(raw)
  const sender = transactionSender(transaction)
  if (sender === undefined) throw new Error('the transaction has no sender')
  return { transaction, sender, hash: transactionHash(transaction) }
}

export interface PlannedBlock extends Partial<Omit<BlockPlan, 'transactions'>> {
  readonly transactions?: readonly PlannedTransaction[]
  readonly refused?: (candidate: PlannedTransaction, rejection: Rejection) => void
}

/** Returns a plan for a block on top of a parent; by default, one second later. */
export function planBlock(parent: ChainHeader, { transactions = [], refused, ...values }: PlannedBlock): BlockPlan {
  let next = 0
  return {
    timestamp: parent.header.timestamp + 1n,
    beneficiary: new Uint8Array(20),
    extraData: new Uint8Array(0),
    gasLimit: parent.header.gasLimit,
    prevRandao: new Uint8Array(32).fill(7),
    isEmptyAllowed: true,
    ...values,
    transactions: {
      next: () => transactions[next],
      included: () => {
        next++
      },
      refused: (candidate, rejection) => {
        next++
        refused?.(candidate, rejection)
      },
    },
  }
}

/** Seals one block per plan, in one task of the writer. */
export async function sealBlocks(chain: Chain, plans: readonly PlannedBlock[]): Promise<ChainHeader[]> {
  const sealed: ChainHeader[] = []
  while (sealed.length < plans.length) {
    const first = sealed.length
    let start: bigint | undefined
    const run = await chain.seal((parent) => {
      start ??= parent.header.number
      const plan = plans[first + Number(parent.header.number - start)]
      return plan && planBlock(parent, plan)
    })
    sealed.push(...run.sealed.map(({ block }) => block))
  }
  return sealed
}
