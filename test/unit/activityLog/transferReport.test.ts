/** Transfers are reported like all other transactions. */
import { describe, expect, it } from 'vitest'
import { ContractNames } from '../../../src/abi/contractNames.ts'
import type { Paint } from '../../../src/activityLog/lines.ts'
import { transactionFacts, transactionRecord, transactionText } from '../../../src/activityLog/transactionReport.ts'
import { isTransfer, TransferReports } from '../../../src/activityLog/transferReport.ts'
import type { SealedBlock } from '../../../src/chain/writeTask.ts'
import { eventually } from '../../support/host/eventually.ts'
import { recordActivity } from '../../support/nodes/activity.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const plain: Paint = (_, text) => text
const painted: Paint = (tone, text) => `<${tone}>${text}</${tone}>`

const openNode = closedAfterEach()
const names = new ContractNames(undefined)
const tree = { names, code: () => undefined, consoleText: () => '' }

function transfer(value: bigint, gasLimit: bigint, gasPrice: bigint, type: 0 | 2 = 0) {
  const common = { nonce: 0n, gasLimit, to: new Uint8Array(20).fill(2), value, data: new Uint8Array(0), r: 1n, s: 1n }
  const rest =
    type === 0
      ? { type, gasPrice, v: 27n, chainId: 1n }
      : { type, chainId: 1n, accessList: [], yParity: 0n, maxFeePerGas: gasPrice, maxPriorityFeePerGas: 3n }
  return { transaction: { ...common, ...rest }, sender: new Uint8Array(20).fill(1), hash: new Uint8Array(32).fill(7) }
}

function block(...included: ReturnType<typeof transfer>[]): SealedBlock {
  const receipt = { gasUsed: 21_000n, logs: [], contractAddress: undefined }
  const result = { outcome: 'success', output: new Uint8Array(0), watchedCalls: undefined }
  return {
    block: { header: { number: 12n, baseFeePerGas: 7n }, hash: new Uint8Array(32).fill(9) },
    included,
    receipts: included.map(() => receipt),
    results: included.map(() => result),
  } as unknown as SealedBlock
}

describe('a transfer', () => {
  it('has the text and the record of a transaction, whatever preceded it', () => {
    const reports = new TransferReports(names)
    const first = transfer(5n, 21_000n, 10n)
    const blocks = [
      block(first),
      block(first),
      block(first, transfer(6n, 21_000n, 10n), transfer(6n, 30_000n, 10n)),
      block(transfer(6n, 30_000n, 11n)),
      block(transfer(6n, 30_000n, 11n, 2), transfer(10n ** 20n, 30_000n, 10n ** 10n, 2)),
      block(first),
    ]
    for (const paint of [plain, painted, plain]) {
      for (const sealed of blocks) {
        sealed.included.forEach((_, index) => {
          const facts = transactionFacts(sealed, index, tree, undefined, false)
          if (facts === undefined) throw new Error('the transaction is missing')
          const report = reports.report(sealed, index, () => transactionRecord(facts))
          expect(isTransfer(sealed, index)).toBe(true)
          expect(report.text(paint)).toBe(transactionText(facts, sealed.included.length === 1, paint))
          expect(report.record()).toEqual(transactionRecord(facts))
        })
      }
    }
  })

  it('is reported by the node', async () => {
    const activity = recordActivity()
    const { rpc } = await openNode({}, undefined, { activity: activity.host })
    for (const value of ['0x1', '0x1', '0xde0b6b3a7640000']) {
      await rpc('eth_sendTransaction', { from: FROM, to: OTHER, value, gas: '0x5208', gasPrice: '0x77359400' })
    }
    await eventually(() => expect(activity.reports.filter(({ kind }) => kind === 'transaction')).toHaveLength(3))
    const rows = activity.take().replaceAll(/0x[0-9a-f]{64}/g, 'HASH')
    const of = (number: number, value: string): string =>
      [
        'transaction  HASH',
        `  from          ${FROM}`,
        `  to            ${OTHER}`,
        `  value         ${value}`,
        '  gas           21,000 of 21,000 (100 %)',
        '  fee           0.000042 ETH at 2 gwei',
        `  block         ${number}  HASH`,
      ].join('\n')
    for (const [i, value] of ['1 wei', '1 wei', '1 ETH'].entries()) expect(rows).toContain(of(i + 1, value))
  })
})
