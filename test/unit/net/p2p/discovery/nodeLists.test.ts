import { describe, expect, it } from 'vitest'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import { fromBase32, fromBase64Url, toBase32, toBase64Url } from '../../../../../src/base/primitives/baseEncoding.ts'
import { bytesToHexUnprefixed } from '../../../../../src/base/primitives/bytes.ts'
import { compressedKey, decompressedKey } from '../../../../../src/base/primitives/secp256k1.ts'
import { parseListEntry, parseListRoot, parseListUrl } from '../../../../../src/net/p2p/discovery/dns/entries.ts'
import { NodeLists } from '../../../../../src/net/p2p/discovery/dns/nodeLists.ts'
import { createRecord, recordText } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { Zone } from './zone.ts'

/**
 * The zone file of EIP-1459. Its root is signed by the public key that the EIP gives in hex, which is not the one in the
 * EIP's URL.
 */
const URL_TEXT = 'enrtree://AKPYQIUQIL7PSIACI32J7FGZW56E5FKHEFCCOFHILBIMW3M6LWXS2@nodes.example.org'
const ROOT =
  'enrtree-root:v1 e=JWXYDBPXYWG6FX3GMDIBFA6CJ4 l=C7HRFPF3BLGF3YR4DY5KX3SMBE seq=1 sig=o908WmNp7LibOfPsr4btQwatZJ5URBr2ZAuxvK4UWHlsB9sUOTJQaGAlLPVAhM__XJesCHxLISo94z5Z2a463gA'
const LINK = 'enrtree://AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2@morenodes.example.org'
const ZONE: Readonly<Record<string, string>> = {
  'nodes.example.org': ROOT,
  'C7HRFPF3BLGF3YR4DY5KX3SMBE.nodes.example.org': LINK,
  'JWXYDBPXYWG6FX3GMDIBFA6CJ4.nodes.example.org':
    'enrtree-branch:2XS2367YHAXJFGLZHVAWLQD4ZY,H4FHT4B454P6UXFD7JCYQ5PWDY,MHTDO6TMUBRIA2XWG5LUDACK24',
  '2XS2367YHAXJFGLZHVAWLQD4ZY.nodes.example.org':
    'enr:-HW4QOFzoVLaFJnNhbgMoDXPnOvcdVuj7pDpqRvh6BRDO68aVi5ZcjB3vzQRZH2IcLBGHzo8uUN3snqmgTiE56CH3AMBgmlkgnY0iXNlY3AyNTZrMaECC2_24YYkYHEgdzxlSNKQEnHhuNAbNlMlWJxrJxbAFvA',
  'H4FHT4B454P6UXFD7JCYQ5PWDY.nodes.example.org':
    'enr:-HW4QAggRauloj2SDLtIHN1XBkvhFZ1vtf1raYQp9TBW2RD5EEawDzbtSmlXUfnaHcvwOizhVYLtr7e6vw7NAf6mTuoCgmlkgnY0iXNlY3AyNTZrMaECjrXI8TLNXU0f8cthpAMxEshUyQlK-AM0PW2wfrnacNI',
  'MHTDO6TMUBRIA2XWG5LUDACK24.nodes.example.org':
    'enr:-HW4QLAYqmrwllBEnzWWs7I5Ev2IAs7x_dZlbYdRdMUx5EyKHDXp7AV5CkuPGUPdvbv1_Ms1CPfhcGCvSElSosZmyoqAgmlkgnY0iXNlY3AyNTZrMaECriawHKWdDRk2xeZkrOXBQ0dfMFLHY4eENZwdufn1S1o',
}

const random = new SeededRandom(3)
const record = (): string => recordText(createRecord(createSigner(random), 1n, new Map()))
const EMPTY = 'enrtree-branch:'

describe('entries of node lists', () => {
  it('reads the URL and the root of EIP-1459', () => {
    const link = parseListUrl(URL_TEXT)
    expect(link.domain).toBe('nodes.example.org')
    expect(`04${bytesToHexUnprefixed(decompressedKey(link.publicKey) as Uint8Array)}`).toBe(
      '049f88229042fef9200246f49f94d9b77c4e954721442714e85850cb6d9e5daf2d880ea0e53cb3ac1a75f9923c2726a4f941f7d326781baa6380754a360de5c2b6',
    )
    expect(parseListRoot(ROOT, link)).toEqual({
      records: 'JWXYDBPXYWG6FX3GMDIBFA6CJ4',
      links: 'C7HRFPF3BLGF3YR4DY5KX3SMBE',
      seq: 1n,
    })
  })

  it.each([
    '',
    'enrtree://nodes.example.org',
    URL_TEXT.replace('AKP', 'AAP'),
    `${URL_TEXT}/x`,
    URL_TEXT.replace('@n', '@-n'),
    'http://x',
  ])('refuses the URL %s', (url) => {
    expect(() => parseListUrl(url)).toThrow('invalid node list')
  })

  it.each([
    ROOT.replace('seq=1', 'seq=2'),
    ROOT.replace('v1', 'v2'),
    ROOT.replace('gA', 'gE'),
    ROOT.replace('e=J', 'e=j'),
    'enrtree-root:v1',
  ])('refuses the root %s', (text) => {
    expect(() => parseListRoot(text, parseListUrl(URL_TEXT))).toThrow('invalid node list')
  })

  it.each([
    '',
    'enrtree-branch:x',
    'enrtree-branch:AAAA',
    'enrtree-branch:,',
    `enrtree-branch:${'A'.repeat(5000)}`,
    'enr:x',
    'other',
  ])('refuses the entry %s', (text) => {
    expect(() => parseListEntry(text)).toThrow('invalid')
  })

  it('encodes without padding', () => {
    for (let length = 0; length < 40; length++) {
      const bytes = random.bytes(length)
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
      expect(fromBase32(toBase32(bytes))).toEqual(bytes)
    }
    expect(toBase64Url(Uint8Array.of(0xfb, 0xff))).toBe('-_8')
    for (const text of ['A', 'AA=', 'A A', 'a+b/']) expect(fromBase64Url(text)).toBeUndefined()
    for (const text of ['A', 'AAA', 'aa', 'A1']) expect(fromBase32(text)).toBeUndefined()
  })
})

describe('reading node lists', () => {
  it('reads the example of EIP-1459', async () => {
    const zone = new Zone(ZONE)
    const lists = new NodeLists(zone, random, [URL_TEXT])
    const { records, problems } = await lists.read(100)
    expect(records.map(recordText).sort()).toEqual(
      Object.values(ZONE)
        .filter((text) => text.startsWith('enr:'))
        .sort(),
    )
    expect(problems).toEqual(['morenodes.example.org: no TXT record is the root of a node list'])
    const before = zone.asked.length
    expect((await lists.read(100)).records).toHaveLength(3)
    expect(zone.asked.slice(before)).toEqual(['nodes.example.org', 'morenodes.example.org'])
  })

  it('stops at the wanted number of records', async () => {
    expect((await new NodeLists(new Zone(ZONE), random, [URL_TEXT]).read(2)).records).toHaveLength(2)
  })

  it('refuses an older root', async () => {
    const zone = new Zone()
    const signer = createSigner(random)
    const [leaf, empty] = [zone.add('a.org', record()), zone.add('a.org', EMPTY)]
    const lists = new NodeLists(zone, random, [zone.addRoot('a.org', signer, leaf, empty, 5)])
    expect((await lists.read(9)).records).toHaveLength(1)
    zone.addRoot('a.org', signer, leaf, empty, 4)
    expect(await lists.read(9)).toEqual({ records: [], problems: ['a.org: the sequence number 4 is lower than 5'] })
  })

  it('skips entries that are absent, forged, failing or in the wrong tree', async () => {
    const zone = new Zone()
    const signer = createSigner(random)
    const names = [0, 1, 2, 3].map(() => zone.add('a.org', record()))
    zone.texts.delete(`${names[0]}.a.org`)
    zone.texts.set(`${names[1]}.a.org`, record())
    zone.texts.set(`${names[2]}.a.org`, 'fail')
    const misplaced = zone.add('a.org', LINK)
    const branch = zone.add('a.org', `enrtree-branch:${[...names, misplaced].join(',')}`)
    const lists = new NodeLists(zone, random, [zone.addRoot('a.org', signer, branch, names[3] as string)])
    const { records, problems } = await lists.read(9)
    expect(records).toHaveLength(1)
    expect(problems).toHaveLength(3)
  })

  it('ends when lists link to each other', async () => {
    const zone = new Zone()
    const signer = createSigner(random)
    const url = (domain: string): string => `enrtree://${toBase32(compressedKey(signer.publicKey))}@${domain}`
    for (let i = 0; i < 40; i++) {
      const domain = `l${i}.org`
      const links = [zone.add(domain, url(`l${i + 1}.org`)), zone.add(domain, url('l0.org'))]
      zone.addRoot(domain, signer, zone.add(domain, record()), zone.add(domain, `enrtree-branch:${links.join(',')}`))
    }
    const { records } = await new NodeLists(zone, random, [url('l0.org')]).read(1000)
    expect(records).toHaveLength(16)
  })

  it('ends in a deep and in a wide tree', async () => {
    const zone = new Zone()
    const signer = createSigner(random)
    let name = zone.add('a.org', record())
    for (let i = 0; i < 40; i++) name = zone.add('a.org', `enrtree-branch:${name}`)
    const empty = zone.add('a.org', EMPTY)
    expect((await new NodeLists(zone, random, [zone.addRoot('a.org', signer, name, empty)]).read(9)).records).toEqual(
      [],
    )
    expect(zone.asked.length).toBeLessThan(25)
    const bytes = (): string => toBase32(random.bytes(16))
    const wide = Array.from({ length: 100 }, () =>
      zone.add('a.org', `enrtree-branch:${Array.from({ length: 90 }, bytes).join(',')}`),
    )
    const url = zone.addRoot('a.org', signer, zone.add('a.org', `enrtree-branch:${wide.join(',')}`), empty)
    zone.asked.length = 0
    await new NodeLists(zone, random, [url]).read(9)
    expect(zone.asked.length).toBeLessThanOrEqual(5001)
  })
})
