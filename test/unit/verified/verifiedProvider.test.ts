import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { VerifiedOptions, VerifiedProvider } from '../../../src/verified/contract.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

const open = closedAfterEach()
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const OTHER = '0x00000000000000000000000000000000000c0de2'
const SLOT = `0x${'0'.repeat(63)}5`
/** Sums slot 5, the balance of another contract and a block hash, emits a log, writes slot 6, and returns the sum. */
const CODE = evmCode(
  `5 SLOAD ${OTHER} BALANCE ADD 2 BLOCKHASH ADD 0 MSTORE 1 6 SSTORE 7 32 0 LOG1 ${OTHER} EXTCODESIZE POP 32 0 RETURN`,
)

const providers: VerifiedProvider[] = []
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close()
})

async function setUp(options: Partial<VerifiedOptions> = {}) {
  const { rpc } = await open()
  await rpc('hardhat_setCode', CONTRACT, bytesToHex(CODE))
  await rpc('hardhat_setCode', OTHER, '0x6001')
  await rpc('hardhat_setBalance', OTHER, '0x77')
  await rpc('hardhat_setStorageAt', CONTRACT, SLOT, `0x${'0'.repeat(62)}99`)
  await rpc('hardhat_mine', '0x3')
  const sent: string[] = []
  for (const to of [BOB, CONTRACT, BOB]) {
    sent.push(await rpc<string>('eth_sendTransaction', { from: ALICE, to, value: '0x5', gas: '0x20000' }))
  }
  const transport = new NodeTransport(rpc)
  const head = await rpc<{ hash: string; number: string }>('eth_getBlockByNumber', 'latest', false)
  const provider = await openVerified(transport, { genesis: devGenesis(), trust: { hash: head.hash }, ...options })
  providers.push(provider)
  return { rpc, transport, provider, head, sent }
}

/** What nothing proves. */
const provenPart = (value: unknown): unknown => {
  const { totalDifficulty: _, ...proven } = value as Record<string, unknown>
  return proven
}

describe('createVerifiedProvider', () => {
  it('answers as the node does', async () => {
    const { rpc, provider, head, sent } = await setUp()
    const call = { from: ALICE, to: CONTRACT, gas: '0x20000' }
    for (const [method, ...params] of [
      ['eth_blockNumber'],
      ['eth_chainId'],
      ['eth_getBalance', ALICE, 'latest'],
      ['eth_getBalance', OTHER, head.number],
      ['eth_getBalance', ALICE, '0x2'],
      ['eth_getTransactionCount', ALICE, 'latest'],
      ['eth_getCode', CONTRACT, 'latest'],
      ['eth_getStorageAt', CONTRACT, SLOT, 'latest'],
      ['eth_getStorageAt', CONTRACT, '0x6', 'latest'],
      ['eth_getProof', CONTRACT, [SLOT, '0x0'], 'latest'],
      ['eth_call', call, 'latest'],
      ['eth_call', call, { blockHash: head.hash }],
      ['eth_estimateGas', call, 'latest'],
      ['eth_createAccessList', call, 'latest'],
      ['eth_getTransactionByHash', sent[1]],
      ['eth_getTransactionReceipt', sent[1]],
      ['eth_getBlockReceipts', 'latest'],
      ['eth_getTransactionByBlockNumberAndIndex', head.number, '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', head.number, '0x9'],
      ['eth_getBlockTransactionCountByNumber', head.number],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest', address: CONTRACT }],
      ['eth_feeHistory', '0x3', 'latest', [50]],
      ['eth_simulateV1', { blockStateCalls: [{ calls: [call] }] }, 'latest'],
    ] as const) {
      const expected = await rpc(method, ...params)
      expect(await provider.request(method, params), `${method} ${JSON.stringify(params)}`).toEqual(expected)
    }
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', '0x0', false],
      ['eth_getBlockByHash', head.hash, false],
    ] as const) {
      expect(await provider.request(method, params), method).toEqual(provenPart(await rpc(method, ...params)))
    }
  })
})
