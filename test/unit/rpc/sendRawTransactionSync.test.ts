import { describe, expect, it } from 'vitest'
import { waitForReceipt } from '../../../src/api/feeds/receiptWait.ts'
import { Subscriptions } from '../../../src/api/feeds/subscriptions.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { Emitter } from '../../../src/base/primitives/events.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { serializeReceipt } from '../../../src/rpc/codecs/receipt.ts'
import { notificationTexts } from '../../../src/rpc/notificationTexts.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import type { PoolEvents } from '../../../src/txpool/contract.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'
import { openWriteRpc } from '../../support/rpc/writeRpc.ts'

async function open() {
  const chain = await openDevChain()
  const rpc = openWriteRpc(chain, { profile: 'geth' })
  const raw = await signed(ALICE, { nonce: 0 })
  /** Sends, and returns once the transaction is in the pool. */
  const send = async (...params: unknown[]) => {
    const added = new Promise<void>((resolve) => void rpc.pool.events.on('added', () => resolve()))
    const answer = rpc.call('eth_sendRawTransactionSync', bytesToHex(raw), ...params)
    await added
    return { answer }
  }
  return { chain, rpc, raw, hash: keccak256(raw), send }
}

describe('eth_sendRawTransactionSync', () => {
  it('returns the receipt when the transaction is mined', async () => {
    const { chain, raw, hash, send } = await open()
    const { answer } = await send()
    let isAnswered = false
    const answered = answer.then(() => {
      isAnswered = true
    })
    await sealBlocks(chain, [{}])
    expect(isAnswered).toBe(false)
    await sealBlocks(chain, [{ transactions: [plannedOf(raw)] }])
    await answered
    expect(await answer).toMatchObject({
      result: { transactionHash: bytesToHex(hash), blockNumber: '0x2', status: '0x1' },
    })
  })

  it("stops after the client's time limit, and names the transaction", async () => {
    const { rpc, hash, send } = await open()
    const { answer } = await send('0x5')
    expect(await answer).toMatchObject({
      error: { code: 4, message: expect.stringContaining('not mined within 5 ms'), data: bytesToHex(hash) },
    })
    expect(rpc.pool.byHash(hash)).toBeDefined()
  })

  it('refuses the same transactions as eth_sendRawTransaction', async () => {
    const { rpc } = await open()
    const { error } = await rpc.call('eth_sendRawTransaction', '0x00')
    expect(error).toBeDefined()
    expect((await rpc.call('eth_sendRawTransactionSync', '0x00')).error).toEqual(error)
    expect((await rpc.call('eth_sendRawTransactionSync', '0x00', 'soon')).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('(timeout)'),
    })
  })
})

describe('waiting for a receipt', () => {
  async function openWaiting() {
    const chain = await openDevChain()
    const subscriptions = new Subscriptions({
      chain,
      chainEvents: chain.events,
      poolEvents: new Emitter<PoolEvents>(),
      texts: notificationTexts('geth'),
      onError: () => {},
    })
    const raw = await signed(ALICE, { nonce: 0 })
    return { chain, subscriptions, raw, hash: keccak256(raw) }
  }

  it('is synchronous if the transaction is already mined', async () => {
    const { raw, hash, ...backend } = await openWaiting()
    await sealBlocks(backend.chain, [{ transactions: [plannedOf(raw)] }])
    const receipt = waitForReceipt(
      { ...backend, timers: testTimers },
      hash,
      undefined,
      new RpcRequestContext({ groups: new Set() }),
    )
    if (receipt instanceof Promise) throw new Error('it waits')
    expect(serializeReceipt(receipt)).toMatchObject({ transactionHash: bytesToHex(hash), blockNumber: '0x1' })
  })

  it('ends with the request, and removes its listeners', async () => {
    const { chain, subscriptions, hash } = await openWaiting()
    const call = new RpcRequestContext({ groups: new Set() })
    const receipt = waitForReceipt({ chain, subscriptions, timers: testTimers }, hash, undefined, call)
    expect(chain.events.has('head')).toBe(true)
    call.abort(new Error('gone'))
    await expect(receipt).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(chain.events.has('head')).toBe(false)
  })
})
