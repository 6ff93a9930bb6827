import { bytesToHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS, DEV_DERIVATION_PATH, DEV_MNEMONIC } from '../../../src/config/devAccounts.ts'
import { checkedPath, normalizedMnemonic, walletKeys } from '../../../src/dev/wallet.ts'

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

function keysOf(mnemonic: string, derivationPath = DEV_DERIVATION_PATH, accounts = 1) {
  return walletKeys({ mnemonic, derivationPath, accounts })
}

describe('keys of a wallet', () => {
  it('equal the table for the usual mnemonic', async () => {
    const derived = await keysOf(DEV_MNEMONIC, DEV_DERIVATION_PATH, DEV_ACCOUNTS.length + 1)
    const known = DEV_ACCOUNTS.map(({ address, privateKey }) => ({ address, privateKey }))
    expect(derived.slice(0, -1)).toEqual(known)
    expect(derived.at(-1)?.address).toBe('0xbcd4042de499d14e55001ccbb24a551f3b954096')
    expect(await keysOf(DEV_MNEMONIC, DEV_DERIVATION_PATH, 3)).toEqual(DEV_ACCOUNTS.slice(0, 3))
    expect(await keysOf(DEV_MNEMONIC, DEV_DERIVATION_PATH, 0)).toEqual([])
  })

  it.each([DEV_DERIVATION_PATH, "m/44'/60'/1'", "m/44'/1'/0'/7"])('equal those of viem under %s', async (path) => {
    const keys = await keysOf(OTHER, path, 3)
    for (const [index, { address, privateKey }] of keys.entries()) {
      const account = mnemonicToAccount(OTHER, { path: `${path}/${index}` as "m/44'/60'/0'/0/0" })
      expect(address).toBe(account.address.toLowerCase())
      expect(privateKey).toBe(bytesToHex(account.getHdKey().privateKey ?? new Uint8Array()))
    }
  })
})

describe('a wallet is refused', () => {
  it.each([
    ['test test test', 'the mnemonic: expected 12, 15, 18, 21 or 24 words, got 3'],
    ['test', 'the mnemonic: expected 12, 15, 18, 21 or 24 words, got 1'],
    [
      DEV_MNEMONIC.replace('junk', 'tset'),
      "word 12 of the mnemonic, 'tset', is not in the English word list of BIP-39",
    ],
    [
      DEV_MNEMONIC.replace('junk', 'test'),
      'the mnemonic has a wrong checksum: a word is wrong, or the words are in another order',
    ],
  ])('with the mnemonic "%s"', async (mnemonic, message) => {
    await expect(keysOf(mnemonic)).rejects.toMatchObject({ code: 'INVALID_WALLET', message })
  })

  it.each(['44/60', 'm//1', "m/44''", 'm/x', 'm/-1', ''])('with the path "%s"', (path) => {
    const message = `'${path}' is not a derivation path such as m/44'/60'/0'/0`
    expect(() => checkedPath(path)).toThrow(expect.objectContaining({ code: 'INVALID_WALLET', message }))
  })

  it('with an index that only an apostrophe could express', () => {
    expect(() => checkedPath('m/2147483648')).toThrow('index 2147483648 of the derivation path is not below 2^31')
  })
})

it('mnemonic and path may have additional blanks, capitals and a slash at the end', () => {
  expect(normalizedMnemonic(`  ${DEV_MNEMONIC.toUpperCase().replaceAll(' ', ' \n ')}`)).toBe(DEV_MNEMONIC)
  expect(checkedPath(` ${DEV_DERIVATION_PATH}/ `)).toBe(DEV_DERIVATION_PATH)
  expect(checkedPath('m')).toBe('m')
})
