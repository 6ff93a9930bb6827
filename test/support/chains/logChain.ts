/** A dev chain with a contract that writes logs. */

import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { createAddress } from '../../../src/types/address.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../nodes/devChain.ts'

/** Writes two logs without data: topic `x`, then topic `x + 1`, where `x` is the first word of the input. */
const RUNTIME = '60003560006000a160003560010160006000a100'
const INIT_CODE = `0x6014600c60003960146000f3${RUNTIME}` as const

export interface LogChain {
  readonly chain: Chain
  /** Address of the contract, in hex. */
  readonly address: string
  /** Seals a block with one call per topic on top of the head. */
  seal(...topics: number[]): Promise<ChainHeader>
  /** Makes a block the head. */
  setHead(block: ChainHeader): Promise<void>
}

export const topicOf = (topic: number): `0x${string}` => `0x${topic.toString(16).padStart(64, '0')}`

export async function openLogChain(options: Parameters<typeof openDevChain>[0] = {}): Promise<LogChain> {
  const chain = await openDevChain(options)
  const sender = hexToBytes(ALICE.address)
  const address = bytesToHex(createAddress(sender, 0n)) as `0x${string}`
  const seal = async (transactions: readonly Uint8Array[]): Promise<ChainHeader> => {
    const [block] = await sealBlocks(chain, [{ transactions: transactions.map(plannedOf) }])
    return block as ChainHeader
  }
  await seal([await signed(ALICE, { nonce: 0, to: undefined, data: INIT_CODE })])
  return {
    chain,
    address,
    seal: async (...topics) => {
      const nonce = Number(chain.stateAt(chain.head).getAccount(sender)?.nonce ?? 0n)
      const calls = topics.map((topic, at) =>
        signed(ALICE, { nonce: nonce + at, to: address, data: topicOf(topic), gas: 50_000n }),
      )
      return seal(await Promise.all(calls))
    },
    setHead: async ({ hash }) => void (await chain.setHead(hash)),
  }
}

export interface Branches extends LogChain {
  /** Block 2 of one branch; blocks 2 and 3 of the other, which contains the head. */
  readonly left: readonly [ChainHeader]
  readonly right: readonly [ChainHeader, ChainHeader]
}

/** Topics: 0x10 and 0x20 (two calls) in the left branch; 0x30 and 0x40 in the right one. */
export async function openBranches(options: Parameters<typeof openDevChain>[0] = {}): Promise<Branches> {
  const opened = await openLogChain(options)
  const fork = opened.chain.head
  const left = await opened.seal(0x10, 0x20)
  await opened.setHead(fork)
  const right = [await opened.seal(0x30), await opened.seal(0x40)] as const
  return { ...opened, left: [left], right }
}
