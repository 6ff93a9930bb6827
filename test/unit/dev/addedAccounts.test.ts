/** Keys and accounts that are added while the node runs. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_ADDED_ACCOUNTS } from '../../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { KnownKeyAccounts } from '../../../src/dev/devAccounts.ts'
import { testRandom } from '../../support/host/testPorts.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const FIRST = DEV_ACCOUNTS[0]?.address as string
const KEY = `0x${'4c'.repeat(32)}` as const
const OWNER = privateKeyToAccount(KEY).address.toLowerCase()
const STRANGER = '0x00000000000000000000000000000000000000aa'
const LOCKED = 'authentication needed: password or unlock'
const WRONG = 'could not decrypt key with given password'

let opened: OpenedNode
beforeEach(async () => {
  opened = await openDevNode()
})
afterEach(() => opened.node.close())

const rpc = <T = unknown>(method: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(method, ...params)
const pay = (from: string) => rpc<string>('eth_sendTransaction', { from, to: STRANGER, value: '0x1' })

describe('an imported key', () => {
  it('signs only while its account is unlocked', async () => {
    expect(await rpc('personal_importRawKey', KEY.slice(2), 'secret')).toBe(OWNER)
    expect(await rpc('eth_accounts')).toContain(OWNER)
    expect(await rpc('personal_listAccounts')).toContain(OWNER)
    await rpc('anvil_setBalance', OWNER, '0xde0b6b3a7640000')
    await expect(pay(OWNER)).rejects.toThrow(LOCKED)
    await expect(rpc('personal_unlockAccount', OWNER, 'other')).rejects.toThrow(WRONG)
    expect(await rpc('personal_unlockAccount', OWNER, 'secret', 0)).toBe(true)
    const hash = await pay(OWNER)
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ from: OWNER })
    expect(await rpc('eth_sign', OWNER, '0x68656c6c6f')).toBe(
      await privateKeyToAccount(KEY).signMessage({ message: 'hello' }),
    )
    expect(await rpc('personal_lockAccount', OWNER)).toBe(true)
    await expect(pay(OWNER)).rejects.toThrow(LOCKED)
    await expect(rpc('eth_sign', OWNER, '0x00')).rejects.toThrow(LOCKED)
    const sent = await rpc<string>('personal_sendTransaction', { from: OWNER, to: STRANGER }, 'secret')
    expect(await rpc('eth_getTransactionByHash', sent)).toMatchObject({ from: OWNER })
    await expect(pay(OWNER)).rejects.toThrow(LOCKED)
  })

  it('is refused when it is invalid or known, and never shown', async () => {
    const secret = 'ff'.repeat(32)
    for (const key of [secret, '00'.repeat(32), '12', 'zz']) {
      const error = await rpc('personal_importRawKey', key, '').catch((thrown: Error) => thrown)
      expect(error).toMatchObject({ code: -32602 })
      expect((error as Error).message).not.toContain(secret)
    }
    await rpc('personal_importRawKey', KEY, '')
    await expect(rpc('personal_importRawKey', KEY, '')).rejects.toThrow('account already exists')
  })
})

it('a new account is locked, and its unlocking ends by itself', async () => {
  const address = await rpc<string>('personal_newAccount', 'secret')
  expect(address).toMatch(/^0x[0-9a-f]{40}$/)
  const clock = { now: 0, monotonic: () => clock.now }
  const accounts = new KnownKeyAccounts([], { clock, random: testRandom })
  const created = accounts.create('secret')
  const hash = new Uint8Array(32)
  expect(() => accounts.sign(created, hash)).toThrow(LOCKED)
  accounts.unlock(created, 'secret', 1000)
  clock.now = 999
  expect(accounts.sign(created, hash)).toBeDefined()
  clock.now = 1000
  expect(() => accounts.sign(created, hash)).toThrow(LOCKED)
})

it('an account without its key is impersonated while it is unlocked', async () => {
  expect(await rpc('evm_addAccount', STRANGER, 'secret')).toBe(true)
  expect(await rpc('evm_addAccount', STRANGER, 'secret')).toBe(false)
  expect(await rpc('evm_addAccount', FIRST, '')).toBe(false)
  await rpc('anvil_setBalance', STRANGER, '0xde0b6b3a7640000')
  await expect(pay(STRANGER)).rejects.toThrow(LOCKED)
  await rpc('personal_unlockAccount', STRANGER, 'secret')
  expect(await rpc('eth_getTransactionByHash', await pay(STRANGER))).toMatchObject({ from: STRANGER })
  await expect(rpc('evm_removeAccount', STRANGER, 'other')).rejects.toThrow(WRONG)
  expect(await rpc('evm_removeAccount', STRANGER, 'secret')).toBe(true)
  expect(await rpc('evm_removeAccount', STRANGER, 'secret')).toBe(false)
  await expect(pay(STRANGER)).rejects.toThrow('unknown account')
})

it('the accounts of the mnemonic can be locked, too', async () => {
  expect(await rpc('personal_lockAccount', FIRST)).toBe(true)
  await expect(pay(FIRST)).rejects.toThrow(LOCKED)
  expect(await rpc('personal_unlockAccount', FIRST, '')).toBe(true)
  await pay(FIRST)
  expect(await rpc('personal_lockAccount', STRANGER)).toBe(false)
  await expect(rpc('personal_unlockAccount', STRANGER, '')).rejects.toThrow('unknown account')
})

it('personal_ecRecover returns the signer', async () => {
  const signature = await privateKeyToAccount(KEY).signMessage({ message: 'hello' })
  expect(await rpc('personal_ecRecover', '0x68656c6c6f', signature)).toBe(OWNER)
  await expect(rpc('personal_ecRecover', '0x68', '0x12')).rejects.toThrow('expected 65 bytes, got 1')
})

it('the number of added accounts is limited', () => {
  const accounts = new KnownKeyAccounts([])
  const addressAt = (i: number) => hexToBytes(`0x${i.toString(16).padStart(40, '0')}`)
  for (let i = 0; i < MAX_ADDED_ACCOUNTS; i++) expect(accounts.addAddress(addressAt(i), '')).toBe(true)
  expect(() => accounts.addAddress(addressAt(MAX_ADDED_ACCOUNTS), '')).toThrow(/were already added/)
  expect(accounts.removeAccount(addressAt(0), '')).toBe(true)
  expect(accounts.addAddress(addressAt(MAX_ADDED_ACCOUNTS), '')).toBe(true)
  expect(bytesToHex(accounts.addresses[0] as Uint8Array)).toBe(bytesToHex(addressAt(1)))
})
