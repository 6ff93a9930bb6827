import { afterEach, describe, expect, it } from 'vitest'
import { MAX_ENCLAVE_PARTIES, MAX_ENCLAVE_STRANGER_BYTES } from '../../../../src/base/limits/limits.ts'
import { toBase64 } from '../../../../src/base/primitives/base64.ts'
import { concatBytes, writeUint } from '../../../../src/base/primitives/bytes.ts'
import {
  decodePayload,
  type EncryptedPayload,
  encodePayload,
  encryptPayload,
  payloadFor,
  payloadKey,
} from '../../../../src/private/enclave/encryptedPayload.ts'
import { decodeGroup, encodeGroup, groupIdOf, legacyGroup } from '../../../../src/private/enclave/group.ts'
import { KeyRing } from '../../../../src/private/enclave/keyRing.ts'
import { decodePartyInfo, enclaveUrl, encodePartyInfo } from '../../../../src/private/enclave/partyInfo.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { Random } from '../../../support/host/random.ts'
import { testRandom } from '../../../support/host/testPorts.ts'
import { EnclaveNetwork, enclaveKeyPair, enclaveUrlOf, type MemoryEnclave } from '../../../support/private/enclaves.ts'

const networks: EnclaveNetwork[] = []

function newNetwork(): EnclaveNetwork {
  const network = new EnclaveNetwork()
  networks.push(network)
  return network
}

afterEach(() => {
  for (const network of networks.splice(0)) network.close()
})

const publicKey = (n: number): Uint8Array => enclaveKeyPair(n).publicKey
const ID = toBase64(new Uint8Array(32).fill(9))
const CONTENT = new TextEncoder().encode('AQID')

/** A payload from key `from` to the keys `to`. */
function sealed(from: number, to: readonly number[], more: Partial<EncryptedPayload> = {}): EncryptedPayload {
  const sending = { content: CONTENT, sender: publicKey(from), recipients: to.map(publicKey) }
  const groupId = groupIdOf(legacyGroup([from, ...to].map(publicKey)))
  return { ...encryptPayload(new KeyRing([enclaveKeyPair(from)]), testRandom, { ...sending, groupId }), ...more }
}

const entries = ({ store }: MemoryEnclave): unknown[] => [...store.range({ prefix: new Uint8Array(0) })]
const push = ({ peer }: MemoryEnclave, payload: EncryptedPayload) => peer('/push', encodePayload(payload))
const receive = ({ node }: MemoryEnclave, payload: EncryptedPayload) =>
  node('/receive', { key: toBase64(payloadKey(payload)), to: null })

describe('the binary form', () => {
  it('of a payload is fields with their lengths', () => {
    const payload = sealed(1, [2, 1])
    const bytes = encodePayload(payload)
    expect(decodePayload(bytes)).toEqual(payload)
    const length = (value: number): Uint8Array => {
      const field = new Uint8Array(8)
      writeUint(field, 4, value, 4)
      return field
    }
    const [first, second] = payload.boxes as [Uint8Array, Uint8Array]
    expect(bytes).toEqual(
      concatBytes(
        ...[length(32), payload.sender, length(CONTENT.length + 16), payload.cipherText, length(24), payload.nonce],
        ...[length(2), length(48), first, length(48), second, length(24), payload.boxNonce],
        ...[length(2), length(32), publicKey(2), length(32), publicKey(1)],
        ...[length(1), Uint8Array.of(0), length(0), length(32), payload.groupId as Uint8Array],
      ),
    )
  })

  it('of party info and groups keeps every field', () => {
    const keysOf = [1, 2].map((n) => ({ key: publicKey(n), url: enclaveUrlOf(n) }))
    const info = { url: enclaveUrlOf(1), keys: keysOf, parties: [enclaveUrlOf(3)] }
    expect(decodePartyInfo(encodePartyInfo(info))).toEqual(info)
    const group = { ...legacyGroup([publicKey(1)]), isDeleted: true }
    expect(decodeGroup(encodeGroup(group))).toEqual(group)
  })

  it('that is damaged is refused', () => {
    const random = new Random(7)
    const forms = [
      [decodePayload, encodePayload(sealed(1, [2, 3]))],
      [decodeGroup, encodeGroup(legacyGroup([publicKey(1), publicKey(2)]))],
      [decodePartyInfo, encodePartyInfo({ url: enclaveUrlOf(1), keys: [], parties: [enclaveUrlOf(3)] })],
    ] as const
    for (const [decode, bytes] of forms) {
      for (let i = 0; i < 500; i++) {
        const damaged = bytes.slice(0, i % 3 === 0 ? random.below(bytes.length) : bytes.length)
        for (let k = 0; k < 3 && damaged.length > 0; k++) damaged[random.below(damaged.length)] = random.below(256)
        try {
          decode(damaged)
        } catch (error) {
          expect(error).toMatchObject({ code: 'ENCLAVE_REFUSAL' })
        }
      }
      expect(() => decode(new Uint8Array(8).fill(0xff))).toThrow('a length is out of range')
      expect(() => decode(new Uint8Array(0))).toThrow('the message ends too early')
    }
  })

  it.each([
    ['http://a:1', 'http://a:1/'],
    ['HTTPS://A/b', 'https://a/b/'],
    ['ftp://a', undefined],
    ['http://user:secret@a', undefined],
    ['http://a/?x=1', undefined],
    [`http://${'a'.repeat(600)}`, undefined],
    ['', undefined],
  ])('of the URL %j is %j', (text, expected) => expect(enclaveUrl(text)).toBe(expected))
})

describe('a pushed payload', () => {
  it('is stored for an own key and answered with its key', async () => {
    const b = newNetwork().open(2)
    const payload = sealed(1, [2])
    expect(await push(b, payload)).toMatchObject({ status: 201, body: toBase64(payloadKey(payload)) })
    expect(await receive(b, payload)).toMatchObject({ status: 200, body: { senderKey: toBase64(publicKey(1)) } })
    const before = entries(b)
    expect(await push(b, payload)).toMatchObject({ status: 201 })
    expect(entries(b)).toEqual(before)
  })

  it('of an old version names no recipient', async () => {
    const b = newNetwork().open(2)
    const payload = sealed(1, [2])
    expect(await push(b, { ...payload, recipients: [] })).toMatchObject({ status: 201 })
    expect(await receive(b, payload)).toMatchObject({ status: 200 })
  })

  it('leaves the boxes of others out', async () => {
    const b = newNetwork().open(2)
    const payload = sealed(1, [2, 3, 4])
    await push(b, payload)
    const stored = decodePayload(b.store.get(keys.enclavePayload(payloadKey(payload))) as Uint8Array)
    expect(stored).toEqual(payloadFor(payload, publicKey(2)))
  })

  it('that is not for an own key, or not from its sender, is refused and not stored', async () => {
    const b = newNetwork().open(2)
    const payload = sealed(1, [2])
    const { groupId: _, ...groupless } = payload
    const cases = [
      [404, sealed(1, [3])],
      [400, { ...payload, sender: publicKey(3) }],
      [400, { ...payload, cipherText: payload.cipherText.map((byte) => byte ^ 1) }],
      [400, { ...payload, boxes: [new Uint8Array(48)] }],
      [400, { ...payload, nonce: new Uint8Array(24) }],
      [400, { ...payload, sender: new Uint8Array(32) }],
      [404, { ...payload, recipients: [], boxes: [new Uint8Array(48)] }],
      [400, { ...groupless, groupId: undefined }],
    ] as const
    for (const [status, item] of cases) expect((await push(b, item)).status).toBe(status)
    expect(entries(b)).toEqual([])
  })

  it('of another privacy mode is refused', async () => {
    const b = newNetwork().open(2)
    const bytes = encodePayload(sealed(1, [2]))
    const at = bytes.length - 32 - 8 - 8 - 1
    expect(bytes[at]).toBe(0)
    expect(await b.peer('/push', bytes.with(at, 3))).toMatchObject({ status: 403 })
    expect(entries(b)).toEqual([])
  })

  it('does not replace a stored one with the same content', async () => {
    const b = newNetwork().open(2)
    const payload = sealed(1, [2])
    await push(b, payload)
    const other = { ...payload, groupId: new Uint8Array(32) }
    expect(await push(b, other)).toMatchObject({ status: 409 })
    expect(await receive(b, payload)).toMatchObject({
      body: { privacyGroupId: toBase64(payload.groupId as Uint8Array) },
    })
  })

  it('of a sender outside of the group is refused', async () => {
    const b = newNetwork().open(2)
    const group = { ...legacyGroup([publicKey(1), publicKey(2)]), type: 'PANTHEON', seed: new Uint8Array(20) } as const
    expect(await b.peer('/pushPrivacyGroup', encodeGroup(group))).toMatchObject({ status: 200 })
    expect(await push(b, sealed(3, [2], { groupId: groupIdOf(group) }))).toMatchObject({ status: 403 })
    expect(await push(b, sealed(1, [2], { groupId: groupIdOf(group) }))).toMatchObject({ status: 201 })
  })

  it('of unknown enclaves fills its share of the disk only', async () => {
    const store = new MemoryStore()
    const used = new Uint8Array(8)
    writeUint(used, 2, MAX_ENCLAVE_STRANGER_BYTES - 100, 6)
    store.commit([{ key: keys.enclaveQuota(), value: used }])
    const network = newNetwork()
    const [a, b] = [network.open(1), network.open(2, { store })]
    expect(await push(b, sealed(3, [2]))).toMatchObject({ status: 503 })
    expect(await b.peer('/pushPrivacyGroup', encodeGroup(legacyGroup([publicKey(2)])))).toMatchObject({ status: 503 })
    await network.join(a, b)
    expect(await push(b, sealed(1, [2]))).toMatchObject({ status: 201 })
  })
})

describe('a pushed group', () => {
  const group = { ...legacyGroup([publicKey(1), publicKey(2)]), type: 'PANTHEON', seed: new Uint8Array(20) } as const
  const groupPush = ({ peer }: MemoryEnclave, item: Parameters<typeof encodeGroup>[0]) =>
    peer('/pushPrivacyGroup', encodeGroup(item))
  const find = async ({ node }: MemoryEnclave): Promise<unknown> =>
    (await node('/findPrivacyGroup', { addresses: [1, 2].map((n) => toBase64(publicKey(n))) })).body

  it('is stored once, and deleted by those that know its seed', async () => {
    const b = newNetwork().open(2)
    expect(await groupPush(b, group)).toMatchObject({ status: 200 })
    expect(await groupPush(b, { ...group, name: 'another name' })).toMatchObject({ status: 200 })
    expect(await find(b)).toMatchObject([{ name: 'legacy', type: 'PANTHEON' }])
    await groupPush(b, { ...group, seed: new Uint8Array(21), isDeleted: true })
    expect(await find(b)).toHaveLength(1)
    await groupPush(b, { ...group, isDeleted: true })
    expect(await find(b)).toEqual([])
    // A repetition of the first message does not bring it back.
    await groupPush(b, group)
    expect(await find(b)).toEqual([])
  })

  it('that is wrong is refused', async () => {
    const b = newNetwork().open(2)
    const legacy = legacyGroup([publicKey(2)])
    const cases = [
      [404, { ...group, members: [publicKey(1)] }],
      [400, { ...group, members: [] }],
      [400, { ...group, description: 'x'.repeat(5000) }],
      [403, { ...legacy, isDeleted: true }],
      [400, { ...legacy, seed: new Uint8Array(3) }],
      [400, { ...legacy, type: 'RESIDENT' as 'LEGACY' }],
    ] as const
    for (const [status, item] of cases) expect((await groupPush(b, item)).status).toBe(status)
    expect(entries(b)).toEqual([])
  })
})

describe('party info of a stranger', () => {
  const info = (url: string, ...numbers: readonly number[]) =>
    encodePartyInfo({ url, keys: numbers.map((n) => ({ key: publicKey(n), url })), parties: [] })

  async function keysOf({ peer }: MemoryEnclave): Promise<Record<string, string>> {
    const { keys } = JSON.parse(String((await peer('/partyinfo', undefined, 'GET')).body))
    return Object.fromEntries(keys.map(({ key, url }: { key: string; url: string }) => [key, url]))
  }

  it('with keys that it does not have is refused', async () => {
    const network = newNetwork()
    const [a, b, mallory] = [network.open(1), network.open(2), network.open(4)]
    await network.join(a, b)
    expect(await a.peer('/partyinfo', info(mallory.url, 2))).toMatchObject({ status: 500 })
    expect(await a.peer('/partyinfo', info('http://nowhere.example/', 3))).toMatchObject({ status: 500 })
    expect(await a.peer('/partyinfo', info('ftp://x', 3))).toMatchObject({ status: 400 })
    expect((await keysOf(a))[b.key]).toBe(b.url)
  })

  it('does not attract a key that another enclave has', async () => {
    const network = newNetwork()
    const [a, b] = [network.open(1), network.open(2)]
    await network.join(a, b)
    // It relays the verification to the enclave that has the key: here, it has the same key.
    const relay = network.open(5, { keys: [2] })
    expect(await a.peer('/partyinfo', info(relay.url, 2))).toMatchObject({ status: 200 })
    expect((await keysOf(a))[b.key]).toBe(b.url)
  })

  it('fills the list up to its limit', async () => {
    const network = newNetwork()
    const [a, b] = [network.open(1, { parties: [] }), network.open(2)]
    const parties = Array.from({ length: 1000 }, (_, i) => `http://party-${i}.example/`)
    const keys = [{ key: publicKey(2), url: b.url }]
    expect(await a.peer('/partyinfo', encodePartyInfo({ url: b.url, keys, parties }))).toMatchObject({ status: 200 })
    const { peers } = JSON.parse(String((await a.peer('/partyinfo', undefined, 'GET')).body))
    expect(peers).toHaveLength(MAX_ENCLAVE_PARTIES)
  })

  it('is refused where only configured enclaves are accepted', async () => {
    const network = newNetwork()
    const [a, b, c] = [network.open(1, { parties: [2], isOpen: false }), network.open(2), network.open(3)]
    a.enclave.start(a.url)
    await expect.poll(() => keysOf(a)).toHaveProperty([b.key])
    expect(await a.peer('/partyinfo', info(c.url, 3))).toMatchObject({ status: 403 })
    expect(await a.peer('/partyinfo', info(b.url, 2))).toMatchObject({ status: 200 })
    expect(await push(a, sealed(3, [1]))).toMatchObject({ status: 403 })
    expect(await push(a, sealed(2, [1]))).toMatchObject({ status: 201 })
  })
})

describe('other requests of enclaves', () => {
  it('decrypt random ids only', async () => {
    const b = newNetwork().open(2)
    const prove = (text: string, to = 2) => {
      const sending = { content: new TextEncoder().encode(text), sender: publicKey(1), recipients: [publicKey(to)] }
      const payload = encryptPayload(new KeyRing([enclaveKeyPair(1)]), testRandom, sending)
      return b.peer('/partyinfo/validate', encodePayload(payload))
    }
    const id = '8f14e45f-ceea-467f-a0e6-0f3d1c2b3a49'
    expect(await prove(id)).toEqual({ status: 200, contentType: 'text/plain', body: id })
    expect(await prove('AQID')).toMatchObject({ status: 400 })
    expect(await prove(id, 3)).toMatchObject({ status: 400 })
  })

  it('resend payloads to the enclave of their recipient only', async () => {
    const network = newNetwork()
    const [a, b] = [network.open(1), network.open(2)]
    await network.join(a, b)
    await a.node('/send', { payload: 'QVFJRA==', from: a.key, to: [b.key] })
    network.clockMs += 60_000
    network.requests.length = 0
    const resend = (type: string, key: string) => a.peer('/resend', { type, publicKey: key, key: ID })
    expect(await resend('INDIVIDUAL', b.key)).toMatchObject({ status: 403 })
    expect(await resend('SOME', b.key)).toMatchObject({ status: 400 })
    expect(await resend('ALL', 'x')).toMatchObject({ status: 400 })
    expect(await resend('ALL', ID)).toMatchObject({ status: 200, body: '' })
    expect(network.requests).toEqual([])
    expect(await resend('ALL', b.key)).toMatchObject({ status: 200, body: '' })
    for (let i = 0; i < 2; i++) expect(await resend('ALL', b.key)).toMatchObject({ status: 503 })
    await expect.poll(() => network.requests.filter((text) => text.endsWith('/push'))).toHaveLength(1)
  })

  it('that do not exist are not found', async () => {
    const { peer } = newNetwork().open(1)
    expect(await peer('/upcheck', undefined, 'GET')).toMatchObject({ status: 200, body: "I'm up!" })
    // Those of nodes are on another port.
    for (const path of ['/send', '/receive', '/createPrivacyGroup', '/pushBatch', '/']) {
      expect(await peer(path, {})).toMatchObject({ status: 404 })
    }
  })
})
