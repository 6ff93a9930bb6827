import { createSocket } from 'node:dgram'
import { afterEach, describe, expect, it } from 'vitest'
import { createNodeDns } from '../../../../../adapters/server/net/dns.ts'
import { notOnBun, notOnDeno } from '../../../../support/host/needs.ts'

const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A name server that knows TXT records; each has parts. */
async function nameServer(zone: Readonly<Record<string, readonly (readonly string[])[]>>): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (; query[at] !== 0; at += 1 + (query[at] as number)) {
      labels.push(query.subarray(at + 1, at + 1 + (query[at] as number)).toString())
    }
    const question = query.subarray(12, at + 5)
    const name = labels.join('.')
    const records = zone[name] ?? []
    const code = name === 'broken.test' ? SERVER_FAILURE : zone[name] === undefined ? NO_SUCH_NAME : 0
    const header = Buffer.from([...query.subarray(0, 2), 0x84, code, 0, 1, 0, records.length, 0, 0, 0, 0])
    const answers = records.map((parts) => {
      const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
      return Buffer.concat([
        Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]),
        data,
      ])
    })
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  closers.push(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

describe('DNS on Node', () => {
  // Bun returns each part as a record.
  it('joins the parts of each TXT record', notOnBun, async () => {
    const dns = createNodeDns([await nameServer({ 'a.test': [['enr', ':abc'], ['v=spf1']] })])
    expect((await dns.resolveTxt('a.test')).toSorted()).toEqual(['enr:abc', 'v=spf1'])
  })

  it('returns nothing for an unknown name', async () => {
    const dns = createNodeDns([await nameServer({})])
    expect(await dns.resolveTxt('none.test')).toEqual([])
  })

  // Deno reports the failure of a server like a missing name.
  it('names the reason of a failure', notOnDeno, async () => {
    const dns = createNodeDns([await nameServer({})])
    await expect(dns.resolveTxt('broken.test')).rejects.toThrow(
      'the TXT records of broken.test cannot be read: ESERVFAIL',
    )
  })
})
