import { recoverAddress, hexToBytes as toBytes } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bigIntToBytesPadded, bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS, DEV_NETWORK_ACCOUNTS, devGenesis } from '../../../src/config/devGenesis.ts'
import { KnownKeyAccounts } from '../../../src/dev/devAccounts.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const STRANGER = hexToBytes('0x00000000000000000000000000000000000000aa')
const first = DEV_ACCOUNTS[0]?.address ?? ''

describe('the accounts of the dev chain', () => {
  it('are those of the mnemonic, in order', () => {
    expect(DEV_ACCOUNTS).toHaveLength(10)
    for (const [addressIndex, { address, privateKey }] of DEV_ACCOUNTS.entries()) {
      const derived = mnemonicToAccount(MNEMONIC, { addressIndex })
      expect(address).toBe(derived.address.toLowerCase())
      expect(privateKey).toBe(bytesToHex(derived.getHdKey().privateKey ?? new Uint8Array(0)))
    }
  })

  it('have the keys of their addresses and the funds of the genesis block', () => {
    const alloc = devGenesis()['alloc'] as Record<string, { balance: string }>
    for (const { address, privateKey, balance } of DEV_ACCOUNTS) {
      expect(privateKeyToAccount(privateKey as `0x${string}`).address.toLowerCase()).toBe(address)
      expect(alloc[address]?.balance).toBe(balance)
    }
    expect(DEV_NETWORK_ACCOUNTS).toHaveLength(3)
    expect(new KnownKeyAccounts().addresses.map(bytesToHex)).toEqual(DEV_ACCOUNTS.map(({ address }) => address))
  })

  it('sign what their owner would sign', async () => {
    const accounts = new KnownKeyAccounts()
    const hash = toBytes(`0x${'2a'.repeat(32)}`)
    for (const address of accounts.addresses) {
      const { r = 0n, s = 0n, yParity = 0 } = accounts.sign(address, hash) ?? {}
      const signature = concatBytes(bigIntToBytesPadded(r, 32), bigIntToBytesPadded(s, 32), Uint8Array.of(27 + yParity))
      expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(bytesToHex(address))
    }
    expect(accounts.sign(STRANGER, hash)).toBeUndefined()
  })
})

describe('impersonation', () => {
  it('applies to the named accounts', () => {
    const accounts = new KnownKeyAccounts()
    expect(accounts.isImpersonated(STRANGER)).toBe(false)
    accounts.impersonate(STRANGER)
    accounts.impersonate(STRANGER)
    expect(accounts.isImpersonated(STRANGER)).toBe(true)
    // Listed like the others, so that clients find it.
    accounts.impersonate(hexToBytes(first))
    expect(accounts.usable).toEqual([...accounts.addresses, STRANGER])
    accounts.stopImpersonating(STRANGER)
    expect(accounts.isImpersonated(STRANGER)).toBe(false)
  })

  it('ends for all accounts together', () => {
    const accounts = new KnownKeyAccounts()
    accounts.impersonate(STRANGER)
    accounts.setAutoImpersonate(true)
    accounts.endImpersonation()
    expect(accounts.isImpersonated(STRANGER)).toBe(false)
    expect(accounts.usable).toEqual(accounts.addresses)
  })

  it('applies to all accounts without a key when it is automatic', () => {
    const accounts = new KnownKeyAccounts()
    accounts.setAutoImpersonate(true)
    expect(accounts.isImpersonated(STRANGER)).toBe(true)
    expect(accounts.isImpersonated(hexToBytes(first))).toBe(false)
    accounts.setAutoImpersonate(false)
    expect(accounts.isImpersonated(STRANGER)).toBe(false)
  })
})

describe('turns', () => {
  it('run one after the other for an account, even after a failure', async () => {
    const accounts = new KnownKeyAccounts()
    const order: string[] = []
    const work =
      (name: string, fails = false) =>
      async () => {
        order.push(`${name} begins`)
        await Promise.resolve()
        order.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const outcomes = await Promise.allSettled([
      accounts.inTurn(STRANGER, work('a', true)),
      accounts.inTurn(STRANGER, work('b')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('do not wait for other accounts', async () => {
    const accounts = new KnownKeyAccounts()
    let release = (): void => {}
    const blocked = accounts.inTurn(STRANGER, () => new Promise<void>((resolve) => (release = resolve)))
    expect(await accounts.inTurn(hexToBytes(first), async () => 'done')).toBe('done')
    release()
    await blocked
  })
})
