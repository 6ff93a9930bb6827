import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHexUnprefixed } from '../../../../src/base/primitives/bytes.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import type { OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import {
  connectedEnclaves,
  ENCLAVE_KEYS,
  openPrivateNode,
  SENDER,
  signPrivate,
} from '../../../support/private/privateNode.ts'

const [A, B] = ENCLAVE_KEYS as [string, string]
const PUBLIC = '0x00000000000000000000000000000000000000aa'
const NOBODY = '0x00000000000000000000000000000000000000bb'

const opened: OpenedNode[] = []

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

interface Outcome {
  readonly status: string
  readonly output: string
}

/** Runs init code in a private transaction, next to a public account with this code. */
async function runNextTo(publicCode: string, initCode: string): Promise<Outcome> {
  const [enclave] = connectedEnclaves(2)
  const node = await openPrivateNode({ enclave: enclave as never })
  opened.push(node)
  await node.rpc('anvil_setBalance', PUBLIC, '0xde0b6b3a7640000')
  await node.rpc('anvil_setCode', PUBLIC, `0x${bytesToHexUnprefixed(evmCode(publicCode))}`)
  const data = `0x${bytesToHexUnprefixed(evmCode(initCode))}`
  const raw = signPrivate({ privateFrom: A, nonce: 0, to: [B], data })
  const marker = await node.rpc('eea_sendRawTransaction', raw)
  return node.rpc<Outcome>('priv_getTransactionReceipt', marker)
}

/** Calls the public account, and returns the word that CALL pushes. */
const CALL_PUBLIC = `0 0 0 0 0 ${PUBLIC} GAS CALL 0 MSTORE 32 0 RETURN`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

describe('public accounts in a private transaction', () => {
  it('can be called', async () => {
    expect(await runNextTo('STOP', CALL_PUBLIC)).toMatchObject({ status: '0x1', output: word(1) })
  })

  it.each([
    ['writes its storage', '1 1 SSTORE'],
    ['creates a contract', '0 0 0 CREATE'],
    ['destroys itself', `${NOBODY} SELFDESTRUCT`],
    ['destroys itself for a private account', 'CALLER SELFDESTRUCT'],
  ])('fail in a call that %s', async (_, code) => {
    expect(await runNextTo(code, CALL_PUBLIC)).toMatchObject({ status: '0x1', output: word(0) })
  })

  it('fail in a call that destroys itself without a balance', async () => {
    const [enclave] = connectedEnclaves(2)
    const node = await openPrivateNode({ enclave: enclave as never })
    opened.push(node)
    await node.rpc('anvil_setCode', PUBLIC, `0x${bytesToHexUnprefixed(evmCode(`${NOBODY} SELFDESTRUCT`))}`)
    const data = `0x${bytesToHexUnprefixed(evmCode(CALL_PUBLIC))}`
    const marker = await node.rpc('eea_sendRawTransaction', signPrivate({ privateFrom: A, nonce: 0, to: [B], data }))
    expect(await node.rpc('priv_getTransactionReceipt', marker)).toMatchObject({ status: '0x1', output: word(0) })
  })

  it('cannot send their balance', async () => {
    const sends = '0 0 0 0 1 CALLER 50000 CALL 0 MSTORE 32 0 RETURN'
    const code = `0 0 0 0 0 ${PUBLIC} GAS CALL POP 32 0 0 RETURNDATACOPY 32 0 RETURN`
    expect(await runNextTo(sends, code)).toMatchObject({ status: '0x1', output: word(0) })
  })

  it('cannot inherit from a private contract', async () => {
    expect(await runNextTo('STOP', `${PUBLIC} SELFDESTRUCT`)).toMatchObject({ status: '0x0' })
    expect(await runNextTo('STOP', `${NOBODY} SELFDESTRUCT`)).toMatchObject({ status: '0x1' })
    expect(await runNextTo('STOP', `${SENDER} SELFDESTRUCT`)).toMatchObject({ status: '0x1' })
  })
})
