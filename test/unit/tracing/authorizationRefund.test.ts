import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { structLogTracer } from '../../../src/tracing/structLog/structLogTracer.ts'
import { openTracedChain } from '../../support/chains/tracedChain.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { ALICE, BOB, DEV_CHAIN, signed } from '../../support/nodes/devChain.ts'

const CONTRACT = `0x${'c0'.repeat(20)}` as const
const NEW: PrivateKeyAccount = privateKeyToAccount(`0x${'77'.repeat(32)}`)

it('struct logs of go-ethereum include the refunds of authorizations', async () => {
  const authorize = (account: PrivateKeyAccount, nonce: number) =>
    account.signAuthorization({ contractAddress: CONTRACT, chainId: DEV_CHAIN, nonce })
  const refunds = async (...authorizationList: unknown[]) => {
    const chain = await openTracedChain({ [CONTRACT]: { code: evmCode('1 1 SSTORE 0 1 SSTORE') } })
    const fields = { type: 'eip7702', nonce: 0, to: CONTRACT, gas: 500_000n, authorizationList }
    const raw = await signed(ALICE, fields as unknown as Parameters<typeof signed>[1])
    const [trace] = await chain.trace<{ structLogs: { refund?: number }[] }>(
      structLogTracer({}, { profile: 'geth' }),
      raw,
    )
    return [trace?.structLogs[0]?.refund, trace?.structLogs.at(-1)?.refund]
  }
  const store = 19_900
  // Two took effect, one of them for an absent account; a third had a wrong nonce.
  expect(await refunds(await authorize(NEW, 0), await authorize(NEW, 1), await authorize(BOB, 5))).toEqual([
    12_500,
    12_500 + store,
  ])
  expect(await refunds(await authorize(BOB, 0), await authorize(ALICE, 1))).toEqual([25_000, 25_000 + store])
  expect(await refunds(await authorize(BOB, 9))).toEqual([undefined, store])
})
