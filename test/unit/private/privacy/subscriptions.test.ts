import { describe, expect, it } from 'vitest'
import { eventually } from '../../../support/host/eventually.ts'
import {
  COUNTER_CODE,
  connectedEnclaves,
  ENCLAVE_KEYS,
  openPrivateNode,
  signPrivate,
} from '../../../support/private/privateNode.ts'

const [A, B] = ENCLAVE_KEYS as [string, string]
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

describe('priv_subscribe', () => {
  it('notifies about private logs, and public subscriptions do not', async () => {
    const [enclave] = connectedEnclaves(2)
    const { node, rpc } = await openPrivateNode({ enclave: enclave as never, options: { 'rpc-ws-api': ['ALL'] } })
    const received: Record<string, unknown>[] = []
    const session = node.endpoints.get('webSocket').open(
      {
        send: (text: string) => received.push(JSON.parse(text)),
        sendFragment: () => {},
        bufferedAmount: () => 0,
        pause: () => {},
        resume: () => {},
        close: () => {},
        terminate: () => {},
      },
      undefined,
    )
    const ask = async (id: number, method: string, ...params: readonly unknown[]): Promise<Record<string, unknown>> => {
      session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      await eventually(() => expect(received.some((message) => message['id'] === id)).toBe(true))
      return received.find((message) => message['id'] === id) as Record<string, unknown>
    }
    const send = (nonce: number, fields: { contract?: string; data: string }): Promise<string> =>
      rpc('eea_sendRawTransaction', signPrivate({ privateFrom: A, to: [B], nonce, ...fields }))
    const { contractAddress: contract, privacyGroupId } = await rpc<{
      contractAddress: string
      privacyGroupId: string
    }>('priv_getTransactionReceipt', await send(0, { data: COUNTER_CODE }))
    await ask(1, 'eth_subscribe', 'logs', {})
    const { result: subscription } = await ask(2, 'priv_subscribe', privacyGroupId, 'logs', {})
    const marker = await send(1, { contract, data: word(5) })
    const notices = (): unknown[] => received.filter(({ id }) => id === undefined)
    await eventually(() => expect(notices()).toHaveLength(1))
    expect(notices()).toMatchObject([
      {
        method: 'priv_subscription',
        params: { subscription, privacyGroupId, result: { data: word(5), transactionHash: marker, removed: false } },
      },
    ])
    expect(await ask(3, 'priv_unsubscribe', privacyGroupId, subscription)).toMatchObject({ result: true })
    await send(2, { contract, data: word(6) })
    expect(await ask(4, 'priv_subscribe', privacyGroupId, 'logs')).toMatchObject({ error: { code: -32600 } })
    expect(await ask(5, 'priv_unsubscribe', privacyGroupId, '0x99')).toMatchObject({ error: { code: -32000 } })
    expect(notices()).toHaveLength(1)
    await node.close()
  })
})
