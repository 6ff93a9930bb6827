import { describe, expect, it } from 'vitest'
import { readRecording, writeRecording } from '../../../src/replay/recording.ts'
import { withoutSecrets } from '../../../src/replay/secrets.ts'
import { recordedCall } from '../../support/replay/recorded.ts'
import { devAccount } from '../../support/rpc/viemClient.ts'

const PRIVATE_KEY = `0x${'ab'.repeat(32)}`
describe('a recording', () => {
  const recording = {
    origin: 'https://dapp.example',
    chainId: '0x1',
    block: '0x10',
    calls: [
      recordedCall('eth_chainId', [], { result: '0x1', size: 5 }),
      recordedCall('eth_call', [{ to: '0x1' }], { error: { code: 3, message: 'reverted', data: '0x' }, batch: 4 }),
      recordedCall('wallet_watchAsset', { type: 'ERC20' }, { omitted: 'length' }),
    ],
  }

  it('is read as it was written', () => {
    expect(readRecording(writeRecording(recording))).toEqual(recording)
  })

  it.each([
    ['{', /it is no JSON/],
    ['[]', /the file is no object/],
    ['{"format":"isonode-recording","version":2}', /its version is 2, and this program reads version 1/],
    [JSON.stringify({ ...json(), calls: {} }), /"calls" is no array/],
    [JSON.stringify({ ...json(), chainId: 1 }), /"chainId" is no quantity/],
    [JSON.stringify({ ...json(), block: 'latest' }), /"block" is no quantity/],
    [JSON.stringify({ ...json(), calls: [{ ...recordedCall('a'), params: 1 }] }), /parameters of call 0 are no list/],
    [JSON.stringify({ ...json(), calls: [{ ...recordedCall('a'), transport: 'x' }] }), /the transport of call 0/],
    [JSON.stringify({ ...json(), calls: [{ ...recordedCall('a'), error: { code: 'x' } }] }), /error code of call 0/],
    [JSON.stringify({ ...json(), calls: Array.from({ length: 20_001 }, () => ({})) }), /more than 20000 calls/],
  ])('is refused when a part is wrong: %.60s', (text, message) => {
    expect(() => readRecording(text)).toThrow(message)
  })

  function json() {
    return { format: 'isonode-recording', version: 1, ...recording }
  }
})

describe('secrets', () => {
  it.each([
    recordedCall('personal_sign', ['0x68656c6c6f', '0x1'], { result: PRIVATE_KEY }),
    recordedCall('personal_unlockAccount', ['0x1', PRIVATE_KEY]),
    recordedCall('eth_signTypedData_v4', ['0x1', `{"key":"${PRIVATE_KEY}"}`], { result: PRIVATE_KEY }),
    recordedCall('eth_sign', ['0x1', '0x2'], { error: { code: 4001, message: 'refused', data: PRIVATE_KEY } }),
    recordedCall('eth_signTransaction', [{}], { result: { raw: PRIVATE_KEY } }),
    recordedCall('evm_addAccount', [PRIVATE_KEY, 'password']),
    recordedCall('eth_sendRawTransaction', [PRIVATE_KEY]),
    recordedCall('eth_sendUserOperation', [{ sender: '0x1', signature: PRIVATE_KEY }]),
    recordedCall('app_store', { nested: [{ privateKey: PRIVATE_KEY }] }, { result: { mnemonic: PRIVATE_KEY } }),
  ])('of $method are not kept', (call) => {
    const clean = withoutSecrets(call)
    expect(JSON.stringify(clean)).not.toContain(PRIVATE_KEY.slice(2))
    expect(clean).toMatchObject({ method: call.method, at: call.at })
    expect(withoutSecrets(clean)).toEqual(clean)
  })

  it('of a signed transaction leave one that a node can send', async () => {
    const account = devAccount(0)
    const to = devAccount(1).address
    const transaction = { chainId: 1, to, value: 5n, gas: 21000n, nonce: 0, maxFeePerGas: 1n, data: '0x12' } as const
    const signed = await account.signTransaction({ type: 'eip1559', ...transaction })
    const clean = withoutSecrets(recordedCall('eth_sendRawTransaction', [signed], { result: '0x1' }))
    const [from, target] = [account.address.toLowerCase(), to.toLowerCase()]
    expect(clean.params).toEqual([{ from, to: target, gas: '0x5208', value: '0x5', data: '0x12' }])
    expect(withoutSecrets(clean)).toEqual(clean)
  })

  it('leave other calls as they are', () => {
    const call = recordedCall('eth_call', [{ to: '0x1', data: PRIVATE_KEY }, 'latest'], { result: PRIVATE_KEY })
    expect(withoutSecrets(call)).toEqual(call)
  })
})
