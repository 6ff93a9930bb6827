// slow: slow password hashes
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../../src/base/primitives/base64.ts'
import { encodeKeyFile, readKeyFile } from '../../../../src/private/enclave/keyFile.ts'
import { testRandom } from '../../../support/host/testPorts.ts'

const SECRET = new Uint8Array(32).fill(7)

describe('a key file', () => {
  it('contains the key itself without a password', async () => {
    const text = await encodeKeyFile(SECRET, undefined, testRandom)
    expect(JSON.parse(text)).toEqual({ type: 'unlocked', data: { bytes: toBase64(SECRET) } })
    expect(await readKeyFile(text, undefined)).toEqual(SECRET)
  })

  it("is read in Tessera's form", async () => {
    const text = '{"type":"unlocked","data":{"bytes":"DK0HDgMWJKtZVaP31mPhk6TJNACfVzz7VZv2PsQZeKM="}}'
    expect(await readKeyFile(text, 'unused')).toEqual(fromBase64('DK0HDgMWJKtZVaP31mPhk6TJNACfVzz7VZv2PsQZeKM='))
  })

  it('needs its password', { timeout: 30_000 }, async () => {
    const text = await encodeKeyFile(SECRET, 'correct horse', testRandom)
    const { type, data } = JSON.parse(text)
    expect(type).toBe('argon2sbox')
    expect(data.aopts).toEqual({ variant: 'id', memory: 47_104, iterations: 2, parallelism: 1 })
    expect(text).not.toContain(toBase64(SECRET))
    expect(await readKeyFile(text, 'correct horse')).toEqual(SECRET)
    await expect(readKeyFile(text, 'wrong')).rejects.toMatchObject({ message: 'the password is wrong' })
    await expect(readKeyFile(text, undefined)).rejects.toMatchObject({ message: 'it needs a password' })
  })

  it.each([
    ['', 'it is not JSON'],
    ['[]', 'an object is missing'],
    ['{"type":"unlocked","data":{"bytes":"AAAA"}}', 'a field is not the Base64 of 32 bytes'],
    ['{"type":"vault","data":{}}', "the type is neither 'unlocked' nor 'argon2sbox'"],
    [
      `{"type":"argon2sbox","data":{"aopts":{"variant":"id","memory":99999999,"iterations":1,"parallelism":1},
        "asalt":"${'A'.repeat(43)}=","snonce":"${'A'.repeat(32)}","sbox":"${'A'.repeat(64)}"}}`,
      'the options of Argon2 are not valid',
    ],
  ])('with the content %j is refused', async (text, message) => {
    await expect(readKeyFile(text, 'x')).rejects.toMatchObject({ code: 'INVALID_ENCLAVE_KEY_FILE', message })
  })
})
