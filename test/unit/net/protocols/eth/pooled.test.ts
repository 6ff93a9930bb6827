// slow: blobs
/** Transactions of the pool: announced, sent and served. */
import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { announcements, requestedHashes, transactionMessages } from '../../../../../src/net/protocols/eth/batches.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../../src/net/protocols/eth/codec.ts'
import { EthServer } from '../../../../../src/net/protocols/eth/ethServer.ts'
import type { EthMessage } from '../../../../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../../../../src/net/protocols/eth/versions.ts'
import { StoredBlocks } from '../../../../../src/net/protocols/storedBlocks.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import type { PooledTransaction } from '../../../../../src/txpool/contract.ts'
import { decodePooledTransaction, encodePooledTransaction } from '../../../../../src/types/blobSidecar.ts'
import type { Transaction } from '../../../../../src/types/transaction.ts'
import { encodeTransaction } from '../../../../../src/types/transactionCodec.ts'

const ETH65 = ethVersion(65) as EthVersion
const ETH68 = ethVersion(68) as EthVersion
const WORD = new Uint8Array(32).fill(1)

const signature = { r: 5n, s: 6n }
const call = { to: new Uint8Array(20), value: 0n, gasLimit: 21_000n }
const legacy = (nonce: bigint, data = new Uint8Array(0)): Transaction => ({
  type: 0,
  nonce,
  gasPrice: 1n,
  ...call,
  data,
  v: 27n,
  chainId: undefined,
  ...signature,
})
const typed = { chainId: 1n, nonce: 0n, ...call, data: new Uint8Array(0), accessList: [], yParity: 0n, ...signature }
const fees = { maxPriorityFeePerGas: 1n, maxFeePerGas: 2n }
const feeMarket: Transaction = { type: 2, ...typed, ...fees }
const blob: Transaction = { type: 3, ...typed, ...fees, maxFeePerBlobGas: 1n, blobVersionedHashes: [WORD] }

function pooledOf(transaction: Transaction, more: Partial<PooledTransaction> = {}): PooledTransaction {
  const encoding = encodeTransaction(transaction)
  const sender = new Uint8Array(20)
  const base = { transaction, encoding, hash: keccak256(encoding), sender, isLocal: true, addedAtMs: 0, sequence: 0 }
  return { ...base, ...more }
}

const sidecar = {
  version: 0 as const,
  blobs: [new Uint8Array(131_072)],
  commitments: [new Uint8Array(48)],
  proofs: [new Uint8Array(48)],
}
const POOL = [
  pooledOf(legacy(1n)),
  pooledOf(feeMarket),
  pooledOf(blob, { sidecar }),
  pooledOf(legacy(2n), { isImpersonated: true }),
]

const overWire = (version: EthVersion, message: EthMessage) =>
  decodeEthMessage(version, encodeEthMessage(version, message))

describe('transactions of the pool', () => {
  const byHash = (hash: Uint8Array) => POOL.find((one) => one.hash.every((byte, i) => byte === hash[i]))
  const parts = { blocks: new StoredBlocks(new MemoryStore()), pool: { byHash }, nodes: { byHash: () => undefined } }

  it('are served in the order of the request, with their blobs, unless their signature is not valid', () => {
    const [first, second, third, impersonated] = POOL.map(({ hash }) => hash) as [Uint8Array, ...Uint8Array[]]
    const hashes = [third, WORD, impersonated, first, second] as Uint8Array[]
    for (const version of [ETH65, ETH68]) {
      const requestId = version === ETH68 ? 9n : undefined
      const answer = new EthServer(parts).answer(version, { kind: 'getPooledTransactions', requestId, hashes })
      const message = decodeEthMessage(version, answer) as EthMessage & { kind: 'pooledTransactions' }
      const served = message.transactions.map(({ encoding }) => decodePooledTransaction(encoding))
      expect(served.map(({ transaction }) => transaction)).toEqual([blob, legacy(1n), feeMarket])
      expect(served[0]?.sidecar).toEqual(sidecar)
      expect(message.transactions.map(({ hash }) => hash)).toEqual([third, first, second])
      expect(message.requestId).toBe(requestId)
    }
    const small = new EthServer({ ...parts, maxBytes: 1000 })
    expect(small.answer(ETH68, { kind: 'getPooledTransactions', requestId: 9n, hashes }).items).toBe(1)
  })

  it('are announced with the type and size that a peer receives', () => {
    const [message] = announcements(ETH68, POOL)
    const sizes = POOL.slice(0, 3).map((one) => encodePooledTransaction(one).length)
    expect(message?.forms).toEqual({ types: Uint8Array.of(0, 2, 3), sizes })
    expect(sizes[2]).toBeGreaterThan(131_072)
    expect(overWire(ETH68, message as EthMessage)).toEqual(message)
    const [plain] = announcements(ETH65, POOL)
    expect(overWire(ETH65, plain as EthMessage)).toEqual(plain)
    expect(plain?.forms).toBeUndefined()
  })

  it('are announced and requested in slices', () => {
    const many = Array.from({ length: 5000 }, () => POOL[0] as PooledTransaction)
    expect(announcements(ETH68, many).map(({ hashes }) => hashes.length)).toEqual([4096, 904])
    expect(requestedHashes(many.map(({ hash }) => hash)).map((hashes) => hashes.length)).toEqual([
      ...Array(19).fill(256),
      136,
    ])
    expect(announcements(ETH68, [])).toEqual([])
  })

  it('are sent in messages of a mebibyte, without blobs; one always fits', () => {
    const large = pooledOf(legacy(1n, new Uint8Array(600_000)))
    const huge = pooledOf(legacy(2n, new Uint8Array(1_200_000)))
    const messages = transactionMessages([...POOL, large, large, huge, large])
    expect(messages.map(({ transactions }) => transactions.length)).toEqual([3, 1, 1, 1])
    expect(messages.every(({ transactions }) => transactions.every(({ transaction }) => transaction.type !== 3))).toBe(
      true,
    )
  })

  it('announced with padded sizes, as Besu up to 23.4 does, are read', () => {
    const payload = Uint8Array.from([0xc0 + 2 + 6 + 2 + 34 - 1, 0x02, 0xc5, 0x84, 0, 0, 1, 0x17])
    const whole = new Uint8Array(1 + 1 + 6 + 34)
    whole.set(payload)
    whole.set([0xe1, 0xa0, ...WORD], 8)
    whole[0] = 0xc0 + whole.length - 1
    expect(decodeEthMessage(ETH68, { code: 8, payload: whole })).toMatchObject({
      hashes: [WORD],
      forms: { types: Uint8Array.of(2), sizes: [0x117] },
    })
    const wrongCount = whole.slice()
    wrongCount[1] = 0x80
    expect(() => decodeEthMessage(ETH68, { code: 8, payload: wrongCount })).toThrow('0 types, 1 sizes and 1 hashes')
  })
})
