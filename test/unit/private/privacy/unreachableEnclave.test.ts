import { afterEach, describe, expect, it } from 'vitest'
import type { NodeOptions } from '../../../../src/config/options.ts'
import { eventually } from '../../../support/host/eventually.ts'
import type { OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import { FakeEnclave } from '../../../support/private/fakeEnclave.ts'
import { ENCLAVE_KEYS, openPrivateNode, SENDER } from '../../../support/private/privateNode.ts'

const OTHER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
/** A transaction that names a payload, which anybody may send. */
const MARKER = { from: SENDER, to: `0x${'00'.repeat(19)}7e`, gas: '0x186a0', data: `0x${'11'.repeat(32)}` }

/** An enclave that answers only once it is released. */
class SilentEnclave extends FakeEnclave {
  isAsked = false
  release: () => void = () => {}
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve
  })

  constructor() {
    super({ keys: [ENCLAVE_KEYS[0] as string] })
  }

  override async post(path: string, contentType: string, body: string) {
    this.isAsked = true
    await this.#released
    return super.post(path, contentType, body)
  }
}

let enclave: SilentEnclave
let node: OpenedNode

async function open(options: Partial<NodeOptions> = {}): Promise<void> {
  enclave = new SilentEnclave()
  node = await openPrivateNode({ enclave, options })
}

const enclaveIsAsked = (): Promise<void> => eventually(() => expect(enclave.isAsked).toBe(true))

async function expectDevMethodsToAnswer(): Promise<void> {
  await node.rpc('anvil_setBalance', OTHER, '0x5')
  expect(await node.rpc('eth_getBalance', OTHER, 'latest')).toBe('0x5')
  const snapshot = await node.rpc('evm_snapshot')
  expect(await node.rpc('evm_revert', snapshot)).toBe(true)
}

describe('a dev chain whose enclave does not answer', () => {
  afterEach(async () => {
    enclave.release()
    await node.node.close()
  })

  it('changes its state while a marker waits to be sealed', async () => {
    await open()
    const sending = node.rpc<string>('eth_sendTransaction', MARKER)
    await enclaveIsAsked()
    await expectDevMethodsToAnswer()
    enclave.release()
    const hash = await sending
    expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1', status: '0x1' })
    expect(await node.rpc('eth_getBalance', OTHER, 'latest')).toBe('0x5')
  })

  it('seals the transactions before the marker', async () => {
    await open()
    await node.rpc('evm_setAutomine', false)
    const first = await node.rpc<string>('eth_sendTransaction', { from: OTHER, to: OTHER })
    await node.rpc('eth_sendTransaction', MARKER)
    await node.rpc('evm_setAutomine', true)
    await enclaveIsAsked()
    expect(await node.rpc('eth_getTransactionReceipt', first)).toMatchObject({ blockNumber: '0x1' })
    await expectDevMethodsToAnswer()
  })

  it('changes its state while evm_mine waits, and keeps the values of the next block', async () => {
    await open()
    await node.rpc('evm_setAutomine', false)
    await node.rpc('eth_sendTransaction', MARKER)
    await node.rpc('eth_sendTransaction', MARKER)
    await node.rpc('hardhat_setNextBlockBaseFeePerGas', '0x64')
    const mining = node.rpc('hardhat_mine', '0x2')
    await enclaveIsAsked()
    await expectDevMethodsToAnswer()
    enclave.release()
    await mining
    const block = await node.rpc<{ transactions: unknown[] }>('eth_getBlockByNumber', '0x1', false)
    expect(block).toMatchObject({ baseFeePerGas: '0x64' })
    expect(block.transactions).toHaveLength(2)
    expect(await node.rpc('eth_blockNumber')).toBe('0x2')
    // Both markers name the same payload.
    expect(enclave.requests).toEqual(['/receive'])
  })

  it('changes its state while a reorganisation waits', async () => {
    await open()
    await node.rpc('evm_mine')
    const reorganising = node.rpc('anvil_reorg', 1, [[MARKER, 0]])
    await enclaveIsAsked()
    await expectDevMethodsToAnswer()
    enclave.release()
    await reorganising
    const block = await node.rpc<{ transactions: unknown[] }>('eth_getBlockByNumber', '0x1', false)
    expect(block.transactions).toHaveLength(1)
  })
})
