import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { fromBase64, toBase64 } from '../../../../src/base/primitives/base64.ts'
import { legacyGroupId } from '../../../../src/private/privacy/groups.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { EnclaveNetwork, enclaveKeyPair, enclaveUrlOf, type MemoryEnclave } from '../../../support/private/enclaves.ts'

const networks: EnclaveNetwork[] = []

function newNetwork(): EnclaveNetwork {
  const network = new EnclaveNetwork()
  networks.push(network)
  return network
}

async function three(): Promise<{ network: EnclaveNetwork; a: MemoryEnclave; b: MemoryEnclave; c: MemoryEnclave }> {
  const network = newNetwork()
  const [a, b, c] = [network.open(1), network.open(2), network.open(3)]
  await network.join(a, b, c)
  return { network, a, b, c }
}

afterEach(() => {
  for (const network of networks.splice(0)) network.close()
})

const STRANGER = toBase64(enclaveKeyPair(9).publicKey)
const PAYLOAD = toBase64(new TextEncoder().encode('AQID'))

interface Group {
  readonly privacyGroupId: string
}

const send = (from: MemoryEnclave, to: readonly string[], payload = PAYLOAD) =>
  from.node<{ key: string }>('/send', { payload, from: from.key, to })

const receive = ({ node }: MemoryEnclave, key: string, to: string | null = null) => node('/receive', { key, to })

describe('a payload', () => {
  it('is received by its sender and recipients only', async () => {
    const { a, b, c } = await three()
    const { status, body } = await send(a, [b.key])
    expect(status).toBe(200)
    expect(fromBase64(body.key)).toHaveLength(32)
    const privacyGroupId = toBase64(legacyGroupId([enclaveKeyPair(1).publicKey, enclaveKeyPair(2).publicKey]))
    const expected = { status: 200, body: { payload: PAYLOAD, privacyGroupId, senderKey: a.key } }
    for (const member of [a, b]) {
      expect(await receive(member, body.key)).toEqual(expected)
      expect(await receive(member, body.key, member.key)).toEqual(expected)
    }
    const missing = { status: 404, body: `Message with hash ${body.key} was not found` }
    expect(await receive(c, body.key)).toEqual(missing)
    expect(await receive(b, body.key, a.key)).toEqual(missing)
    expect(await receive(a, toBase64(new Uint8Array(32)))).toMatchObject({ status: 404 })
    for (const { store, key } of [c]) {
      expect([...store.range({ prefix: Uint8Array.of(0x50) })], key).toEqual([])
    }
  })

  it('has another key each time', async () => {
    const { a, b } = await three()
    const keys = await Promise.all([send(a, [b.key]), send(a, [b.key])])
    expect(new Set(keys.map(({ body }) => body.key)).size).toBe(2)
  })

  it('is stored encrypted', async () => {
    const { a, b } = await three()
    await send(a, [b.key])
    for (const { store } of [a, b]) {
      for (const [, value] of store.range({ prefix: new Uint8Array(0) })) {
        expect(Buffer.from(value).includes('AQID')).toBe(false)
      }
    }
  })

  it('for a member that does not answer is refused, and stored nowhere by its sender', async () => {
    const { network, a, b } = await three()
    network.away.add(b.url)
    expect(await send(a, [b.key])).toEqual({ status: 500, body: 'NodePushingToPeer' })
    expect([...a.store.range({ prefix: Uint8Array.of(0x50) })]).toEqual([])
  })

  it('survives a restart', async () => {
    const { network, a, b } = await three()
    const { body } = await send(a, [b.key])
    for (const [n, { store, enclave }] of [
      [1, a],
      [2, b],
    ] as const) {
      enclave.close()
      const again = network.open(n, { store, parties: [] })
      expect(await receive(again, body.key)).toMatchObject({ status: 200, body: { payload: PAYLOAD } })
    }
  })

  it('is sent again to an enclave that has lost its database', async () => {
    const { network, a, b } = await three()
    const { body: group } = await a.node<Group>('/createPrivacyGroup', { addresses: [a.key, b.key], from: a.key })
    const { privacyGroupId } = group
    const { body } = await a.node<{ key: string }>('/send', { payload: PAYLOAD, from: a.key, privacyGroupId })
    b.enclave.close()
    network.clockMs += 60_000
    const again = network.open(2, { parties: [1] })
    again.enclave.start(again.url)
    await expect.poll(async () => (await receive(again, body.key)).status).toBe(200)
    expect(await again.node('/retrievePrivacyGroup', { privacyGroupId })).toMatchObject({ status: 200 })
  })

  it('is given back by its recipients to a sender that has lost its database', async () => {
    const { network, a, b, c } = await three()
    const { body: group } = await a.node<Group>('/createPrivacyGroup', { addresses: [a.key, b.key], from: a.key })
    const { privacyGroupId } = group
    const { body: first } = await a.node<{ key: string }>('/send', { payload: PAYLOAD, from: a.key, privacyGroupId })
    const { body: second } = await send(a, [b.key, c.key])
    a.enclave.close()
    network.clockMs += 60_000
    const lines: string[] = []
    const log = (message: string, fields = {}): number => lines.push(`${message} ${JSON.stringify(fields)}`)
    const logger = { ...silentLogger, info: log, warn: log, child: () => logger }
    const again = network.open(1, { parties: [2, 3], logger })
    again.enclave.start(again.url)
    for (const { key } of [first, second]) {
      await expect.poll(() => receive(again, key)).toMatchObject({ status: 200, body: { payload: PAYLOAD } })
      expect(await receive(again, key, again.key)).toMatchObject({ body: { senderKey: a.key } })
    }
    await expect.poll(() => lines).toContain('got back sent payloads {"payloads":2}')
    expect(lines.filter((line) => line.includes('lost'))).toHaveLength(1)
    // The restored box of the sender is the one that was lost.
    const key = keys.enclavePayload(fromBase64(first.key) as Uint8Array)
    expect(again.store.get(key)).toEqual(a.store.get(key))
    expect(await again.node('/send', { payload: PAYLOAD, from: a.key, privacyGroupId })).toMatchObject({ status: 200 })
  })

  it('is given back for each key, also by an enclave that resends later', async () => {
    const network = newNetwork()
    const [a, b] = [network.open(1, { keys: [1, 4] }), network.open(2)]
    await network.join(a, b)
    const other = toBase64(enclaveKeyPair(4).publicKey)
    const { body: first } = await send(a, [b.key])
    const { body: second } = await a.node<{ key: string }>('/send', { payload: PAYLOAD, from: other, to: [b.key] })
    a.enclave.close()
    network.clockMs += 60_000
    // Somebody else has asked.
    expect(await b.peer('/resend', { type: 'ALL', publicKey: a.key })).toMatchObject({ status: 200 })
    const again = network.open(1, { keys: [1, 4], parties: [2] })
    again.enclave.start(again.url)
    await expect.poll(() => receive(again, second.key)).toMatchObject({ status: 200 })
    network.clockMs += 60_000
    await expect.poll(() => receive(again, first.key)).toMatchObject({ status: 200 })
  })

  it('is not taken back from enclaves that are not configured, or when nothing was lost', async () => {
    const { network, a, b } = await three()
    const { body } = await send(a, [b.key])
    const stored = b.store.get(keys.enclavePayload(fromBase64(body.key) as Uint8Array)) as Uint8Array
    const missing = { status: 404, body: 'The payload is for none of the keys of this enclave' }
    a.enclave.close()
    for (const options of [{ parties: [] }, { parties: [2], store: a.store }]) {
      const again = network.open(1, options)
      await network.join(again, b)
      expect(await again.peer('/push', stored)).toMatchObject(missing)
      again.enclave.close()
    }
  })

  it('of an enclave with several keys is for each of them', async () => {
    const network = newNetwork()
    const [a, b] = [network.open(1), network.open(2, { keys: [2, 4] })]
    await network.join(a, b)
    const other = toBase64(enclaveKeyPair(4).publicKey)
    const { body } = await send(a, [b.key, other])
    for (const to of [b.key, other]) expect(await receive(b, body.key, to)).toMatchObject({ status: 200 })
    const { body: second } = await send(a, [other])
    expect(await receive(b, second.key, other)).toMatchObject({ status: 200 })
    expect(await receive(b, second.key, b.key)).toMatchObject({ status: 404 })
  })
})

describe('a privacy group', () => {
  it('is known to all members', async () => {
    const { a, b, c } = await three()
    const addresses = [b.key, a.key]
    const { status, body } = await a.node<Group>('/createPrivacyGroup', {
      addresses,
      from: a.key,
      name: 'pair',
      description: 'of two',
    })
    expect(status).toBe(200)
    const { privacyGroupId } = body
    const group = { privacyGroupId, name: 'pair', description: 'of two', type: 'PANTHEON', members: addresses }
    expect(body).toEqual(group)
    for (const { node } of [a, b]) {
      expect(await node('/retrievePrivacyGroup', { privacyGroupId })).toEqual({ status: 200, body: group })
      expect(await node('/findPrivacyGroup', { addresses: [a.key, b.key] })).toEqual({ status: 200, body: [group] })
      expect((await node('/findPrivacyGroup', { addresses: [a.key] })).body).toEqual([])
    }
    const missing = { status: 404, body: `Privacy group ${privacyGroupId} not found` }
    expect(await c.node('/retrievePrivacyGroup', { privacyGroupId })).toEqual(missing)

    const sent = await b.node<{ key: string }>('/send', { payload: PAYLOAD, from: b.key, privacyGroupId })
    expect(await receive(a, sent.body.key)).toMatchObject({ body: { privacyGroupId, senderKey: b.key } })

    expect(await c.node('/deletePrivacyGroup', { privacyGroupId, from: c.key })).toEqual(missing)
    expect(await a.node('/deletePrivacyGroup', { privacyGroupId, from: c.key })).toEqual({
      status: 403,
      body: 'Invalid member',
    })
    expect(await a.node('/deletePrivacyGroup', { privacyGroupId, from: a.key })).toEqual({
      status: 200,
      body: privacyGroupId,
    })
    for (const { node, key } of [a, b]) {
      expect(await node('/retrievePrivacyGroup', { privacyGroupId })).toEqual(missing)
      expect((await node('/findPrivacyGroup', { addresses })).body).toEqual([])
      expect(await node('/send', { payload: PAYLOAD, from: key, privacyGroupId })).toEqual(missing)
    }
    // Payloads that were sent before remain.
    expect(await receive(a, sent.body.key)).toMatchObject({ status: 200 })
  })

  it('may have null for its name and description', async () => {
    const { a } = await three()
    const request = { addresses: [a.key], from: a.key, name: null, description: null }
    const first = await a.node<Group>('/createPrivacyGroup', request)
    expect(first.body).toMatchObject({ name: '', description: '' })
    const second = await a.node<Group>('/createPrivacyGroup', request)
    expect(second.body.privacyGroupId).not.toBe(first.body.privacyGroupId)
  })

  it('of keys is found after the first payload', async () => {
    const { a, b } = await three()
    await send(a, [b.key])
    for (const { node } of [a, b]) {
      await expect
        .poll(async () => (await node('/findPrivacyGroup', { addresses: [b.key, a.key] })).body)
        .toMatchObject([{ type: 'LEGACY', name: 'legacy', members: [a.key, b.key] }])
    }
  })
})

describe('a request of a node', () => {
  it('that is wrong gets the status and text of the reference', async () => {
    const { a, b } = await three()
    const { node, key } = a
    const unknown = `Recipient not found for key: ${STRANGER}`
    const id = toBase64(new Uint8Array(32).fill(5))
    const cases: readonly (readonly [string, object, number, string])[] = [
      ['/send', { payload: PAYLOAD, from: b.key, to: [] }, 404, `No private key found for public key: ${b.key}`],
      ['/send', { payload: PAYLOAD, to: [] }, 404, 'No private key found for public key: undefined'],
      ['/send', { payload: PAYLOAD, from: key, to: [STRANGER] }, 404, unknown],
      ['/send', { payload: PAYLOAD, from: key, to: ['AAAA'] }, 400, 'Invalid Base64-encoded public key: AAAA'],
      ['/send', { payload: '%', from: key, to: [] }, 400, 'InvalidPayload'],
      ['/send', { payload: PAYLOAD, from: key, privacyGroupId: id }, 404, `Privacy group ${id} not found`],
      ['/receive', { key: 'x' }, 404, 'Message with hash x was not found'],
      ['/receive', {}, 404, 'Message with hash undefined was not found'],
      ['/createPrivacyGroup', { addresses: [key, STRANGER], from: key }, 404, unknown],
      [
        '/createPrivacyGroup',
        { addresses: [b.key], from: key },
        403,
        'The list of members in a privacy group should include self',
      ],
      ['/retrievePrivacyGroup', { privacyGroupId: 7 }, 404, 'Privacy group 7 not found'],
      ['/findPrivacyGroup', {}, 400, 'addresses must be a list of keys'],
      ['/storeraw', {}, 404, 'Not found'],
    ]
    for (const [path, request, status, body] of cases) {
      expect([path, await node(path, request)]).toEqual([path, { status, body }])
    }
    for (const addresses of [['nonsense'], [7], []]) {
      expect(await node('/findPrivacyGroup', { addresses })).toEqual({ status: 200, body: [] })
    }
  })

  it('is JSON', async () => {
    const { enclave } = newNetwork().open(1)
    for (const text of ['{', '[]', '7', 'null']) {
      const reply = await enclave.answerNode({ method: 'POST', path: '/send', body: new TextEncoder().encode(text) })
      expect(reply).toMatchObject({ status: 400 })
    }
    expect(await enclave.answerNode({ method: 'GET', path: '/upcheck', body: new Uint8Array(0) })).toEqual({
      status: 200,
      contentType: 'text/plain',
      body: "I'm up!",
    })
  })
})

describe('party info', () => {
  it('makes enclaves known that one of them knows', async () => {
    const network = newNetwork()
    const [a, b, c] = [network.open(1), network.open(2, { parties: [1] }), network.open(3, { parties: [1] })]
    for (const { enclave, url } of [a, b, c]) enclave.start(url)
    await expect.poll(async () => (await send(b, [c.key])).status).toBe(200)
    expect(network.requests).toContain(`POST ${enclaveUrlOf(3)}push`)
  })
})
