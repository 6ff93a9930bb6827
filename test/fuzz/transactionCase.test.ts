import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../src/base/primitives/secp256k1.ts'
import { forkRules } from '../../src/config/forks.ts'
import { authorizationSigningHash, recoverAuthority } from '../../src/types/authorization.ts'
import { intrinsicGas } from '../../src/types/intrinsicGas.ts'
import { fuzzProject } from '../support/host/fuzzProject.ts'
import { generateCase } from './generator.mjs'
import { transactionCase } from './transactionCase.mjs'

const SENDER = '1000000000000000000000000000000000000001'
const CONTRACT = '2000000000000000000000000000000000000002'

function convert(change: object): ReturnType<typeof transactionCase> {
  const kit = { ...fuzzProject, forkRules: () => forkRules('osaka') }
  const fuzzCase = generateCase(kit, { seed: 1, caseNumber: 1, forks: ['osaka'] })
  const signing = { publicKeyOf, publicKeyToAddress, signHash, authorizationSigningHash, chainId: 1337n }
  return transactionCase({ ...signing, intrinsicGas }, forkRules('osaka'), { ...fuzzCase, ...change })
}

const message = { caller: SENDER, to: CONTRACT, value: '0', data: '0x', gas: '1000' }
const accounts = { [SENDER]: { nonce: '1', balance: '5' } }

describe('a case as a transaction', () => {
  it("has intrinsic gas in addition to the message's, and a sender who can pay", () => {
    const transaction = { gasPrice: '10', blobVersionedHashes: [], accessList: [], warmAddresses: [] }
    const { transaction: sent, state } = convert({ message, accounts, transaction })
    expect(sent).toMatchObject({ from: `0x${SENDER}`, to: `0x${CONTRACT}`, gas: '0x55f0', maxFeePerGas: '0xa' })
    expect(state).toEqual([['anvil_setBalance', [`0x${SENDER}`, '0x35b60']]])
  })

  it('respects the gas limit of a transaction', () => {
    const sent = convert({ message: { ...message, gas: '10000000000000' }, accounts }).transaction
    expect(sent['gas']).toBe('0x1000000')
  })

  it('sets up contracts, without opcodes on which the chains differ and without empty accounts', () => {
    const programs = { contract0: ['PUSH 0x01', 'BLOCKHASH'] }
    const contract = { nonce: '1', code: 'contract0', storage: { 2: '3' } }
    const { state } = convert({
      message,
      programs,
      accounts: { ...accounts, [CONTRACT]: contract, [`3${CONTRACT.slice(1)}`]: {} },
    })
    const word = (digit: number): string => `0x${'0'.repeat(63)}${digit}`
    expect(state.slice(-3)).toEqual([
      ['anvil_setCode', [`0x${CONTRACT}`, '0x600115']],
      ['anvil_setNonce', [`0x${CONTRACT}`, '0x1']],
      ['anvil_setStorageAt', [`0x${CONTRACT}`, word(2), word(3)]],
    ])
  })

  it('turns addresses warmed by an authorization into delegations of the transaction', () => {
    const authority = `8${CONTRACT.slice(1)}`
    const { transaction: sent, state } = convert({
      message,
      programs: { contract0: [`PUSH 0x${authority}`, 'BALANCE'] },
      accounts: {
        ...accounts,
        [CONTRACT]: { nonce: '1', code: 'contract0' },
        [authority]: { nonce: '1', balance: '50', code: `0xef0100${CONTRACT}` },
      },
      transaction: { gasPrice: '0', blobVersionedHashes: [], accessList: [], warmAddresses: [authority] },
      block: { beneficiary: authority, baseFeePerGas: '0', timestamp: '2', difficulty: '0', excessBlobGas: '0' },
    })
    const [tuple] = sent['authorizationList'] as Record<string, string>[]
    const number = (name: string): bigint => BigInt(tuple?.[name] as string)
    const signer = recoverAuthority({
      chainId: number('chainId'),
      address: hexToBytes(tuple?.['address'] as string),
      nonce: number('nonce'),
      yParity: number('yParity'),
      r: number('r'),
      s: number('s'),
    }) as Uint8Array
    expect(tuple).toMatchObject({ chainId: '0x539', address: `0x${CONTRACT}`, nonce: '0x0' })
    expect(sent['gas']).toBe('0xb798')
    expect(state.slice(-3)).toEqual([
      ['anvil_setCode', [`0x${CONTRACT}`, `0x73${bytesToHex(signer).slice(2)}31`]],
      ['anvil_setNonce', [`0x${CONTRACT}`, '0x1']],
      ['anvil_setBalance', [bytesToHex(signer), '0x32']],
    ])
  })
})
