/** The enclave as a program, and as a part of the node. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_ENCLAVE_MESSAGE_BYTES } from '../../src/base/limits/limits.ts'
import { toBase64 } from '../../src/base/primitives/base64.ts'
import { hasIpv6 } from '../support/host/ipv6.ts'
import { needsHost } from '../support/host/needs.ts'
import { freePort } from '../support/host/ports.ts'
import { type RunningCommand, runCommand, startCommand, temporaryDirectory } from '../support/nodes/program.ts'
import { enclaveKeyPair } from '../support/private/enclaves.ts'
import {
  eventually,
  NETWORK_CHAIN_ID,
  type PrivateMember,
  startPrivateNetwork,
} from '../support/private/privateNetwork.ts'
import { COUNTER_CODE, type PrivateFields, signPrivate } from '../support/private/privateNode.ts'

const PAYLOAD = toBase64(new TextEncoder().encode('AQID'))

interface RunningEnclave {
  readonly key: string
  readonly url: string
  readonly peerUrl: string
  readonly output: () => string
  end(signal: NodeJS.Signals): Promise<{ code: number | null }>
}

let processes: RunningCommand[] = []

afterEach(async () => {
  for (const { child, ended } of processes) {
    child.kill('SIGKILL')
    await ended
  }
  processes = []
})

/** @param args in addition to the data path and the ports */
async function startEnclave(directory: string, port: number, ...args: string[]): Promise<RunningEnclave> {
  const command = startCommand([
    ...['enclave', `--data-path=${directory}`, '--rest-port=0', `--enclave-port=${port}`, ...args],
  ])
  processes.push(command)
  let printed = ''
  for (const stream of [command.child.stdout, command.child.stderr]) {
    stream?.on('data', (chunk: string) => {
      printed += chunk
    })
  }
  await eventually(async () => {
    if (command.child.exitCode !== null) throw new Error(`the enclave ended: ${printed}`)
    expect(printed).toContain('public key')
  }, 30_000)
  const value = (name: string): string => new RegExp(`${name} +(\\S+)`).exec(printed)?.[1] as string
  return {
    key: value('public key'),
    url: value('for nodes'),
    peerUrl: value('enclave  '),
    output: () => printed,
    end: (signal) => {
      processes = processes.filter((it) => it !== command)
      command.child.kill(signal)
      return command.ended
    },
  }
}

async function request(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

const send = (from: RunningEnclave, to: string) =>
  request(`${from.url}/send`, { payload: PAYLOAD, from: from.key, to: [to] })

const receive = ({ url }: RunningEnclave, key: string) => request(`${url}/receive`, { key, to: null })

describe('an enclave as a program', () => {
  it('listens on IPv6, and prints URLs that work', needsHost(hasIpv6(), 'there is no IPv6'), async () => {
    const enclave = await startEnclave(temporaryDirectory(), 0, '--rest-host=::1', '--enclave-host=::1')
    expect([enclave.url, enclave.peerUrl]).toEqual([
      expect.stringMatching(/^http:\/\/\[::1\]:\d+$/),
      expect.stringMatching(/^http:\/\/\[::1\]:\d+$/),
    ])
    expect((await fetch(`${enclave.url}/upcheck`)).status).toBe(200)
    expect((await fetch(`${enclave.peerUrl}/upcheck`)).status).toBe(200)
  })

  it('keeps what it has answered over kills', { timeout: 120_000 }, async () => {
    const [first, second] = [temporaryDirectory(), temporaryDirectory()]
    const [port, otherPort] = [await freePort(), await freePort()]
    const peer = (at: number): string => `--enclave-peers=http://127.0.0.1:${at}`
    const a = await startEnclave(first, port, peer(otherPort))
    let b = await startEnclave(second, otherPort, peer(port))
    await eventually(async () => expect((await send(a, b.key)).status).toBe(200))
    const answered: string[] = []
    for (let round = 0; round < 5; round++) {
      let isKilled = false
      const before = answered.length
      const load = Array.from({ length: 4 }, async () => {
        while (!isKilled) {
          const { status, text } = await send(a, b.key)
          if (status === 200) answered.push((JSON.parse(text) as { key: string }).key)
          else expect([status, text]).toEqual([500, 'NodePushingToPeer'])
        }
      })
      await new Promise((resolve) => setTimeout(resolve, 200 + 70 * round))
      await eventually(async () => expect(answered.length).toBeGreaterThan(before + 1))
      await b.end('SIGKILL')
      isKilled = true
      await Promise.all(load)
      b = await startEnclave(second, otherPort, peer(port))
    }
    expect(answered.length).toBeGreaterThan(5)
    for (const key of answered) {
      for (const enclave of [a, b]) expect(await receive(enclave, key)).toMatchObject({ status: 200 })
    }
    expect(readFileSync(path.join(second, 'enclave/enclave.pub'), 'utf8')).toBe(b.key)
    expect(await b.end('SIGTERM')).toMatchObject({ code: 0 })
    for (const { output } of [a, b]) expect(output()).not.toMatch(/\bERROR\b|AQID/)
  })

  it('reads keys with passwords', { timeout: 60_000 }, async () => {
    const folder = temporaryDirectory()
    const [key, passwords] = [path.join(folder, 'a.key'), path.join(folder, 'passwords')]
    writeFileSync(passwords, 'correct horse\n')
    const written = await runCommand(['enclave', 'keys', `--to=${key}`, `--enclave-password-file=${passwords}`])
    const name = written.stdout.trim()
    expect(readFileSync(path.join(folder, 'a.pub'), 'utf8')).toBe(name)
    expect(statSync(key).mode & 0o777).toBe(0o600)
    const again = await runCommand(['enclave', 'keys', `--to=${key}`])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${key} exists already`)])

    const files = `--enclave-key-files=${key}`
    const enclave = await startEnclave(folder, 0, files, `--enclave-password-file=${passwords}`)
    expect(enclave.key).toBe(name)
    await enclave.end('SIGTERM')
    const failed = await runCommand(['enclave', `--data-path=${folder}`, '--rest-port=0', '--enclave-port=0', files])
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(`${key}: it needs a password`)])
  })

  it('serves nodes on the loopback interface and refuses web pages', { timeout: 60_000 }, async () => {
    const { url, peerUrl } = await startEnclave(temporaryDirectory(), 0)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/)
    expect(await (await fetch(`${url}/upcheck`)).text()).toBe("I'm up!")
    for (const base of [url, peerUrl]) {
      const fromPage = await fetch(`${base}/upcheck`, { headers: { Origin: 'http://page.example' } })
      expect(fromPage.status).toBe(403)
    }
    // A name that a page's server directs here.
    const answer = await exchange(url, 'GET /upcheck HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    // Requests of nodes are not answered on the port for enclaves.
    expect((await request(`${peerUrl}/receive`, {})).status).toBe(404)
  })

  it('survives hostile connections', { timeout: 60_000 }, async () => {
    const { peerUrl, url } = await startEnclave(temporaryDirectory(), 0)
    const long = new Uint8Array(MAX_ENCLAVE_MESSAGE_BYTES + 1)
    expect((await fetch(`${peerUrl}/push`, { method: 'POST', body: long })).status).toBe(413)
    const head = 'POST /push HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n`
    for (const text of [`${head}Content-Length: 99999999999\r\n\r\n`, chunked, 'nonsense\r\n\r\n']) {
      expect(await exchange(peerUrl, text)).toMatch(/^HTTP\/1\.1 4/)
    }
    // Uploads that do not end.
    const open = await Promise.all(
      Array.from({ length: 50 }, () => connected(peerUrl, `${head}Content-Length: 9\r\n\r\na`)),
    )
    const bodies = [new Uint8Array(100).fill(0xff), new Uint8Array(0), new Uint8Array(4096)]
    for (const path of ['/push', '/partyinfo', '/partyinfo/validate', '/pushPrivacyGroup', '/resend']) {
      for (const body of bodies) {
        const { status } = await fetch(`${peerUrl}${path}`, { method: 'POST', body })
        expect([path, status]).toEqual([path, 400])
      }
    }
    expect(await (await fetch(`${url}/upcheck`)).text()).toBe("I'm up!")
    for (const socket of open) socket.destroy()
  })
})

function connected(url: string, text: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(text)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

/** Sends bytes and returns everything that is received until the end of the connection. */
async function exchange(url: string, text: string): Promise<string> {
  const socket = await connected(url, text)
  let received = ''
  for await (const chunk of socket.setEncoding('utf8')) received += chunk
  return received
}

describe('nodes with their own enclaves', () => {
  let members: readonly PrivateMember[] = []

  afterEach(async () => {
    for (const member of members) await member.end('kill').catch(() => {})
    members = []
  })

  interface Receipt {
    readonly status: string
    readonly contractAddress: string
    readonly privacyGroupId: string
  }

  async function sent(from: PrivateMember, fields: Omit<PrivateFields, 'privateFrom'>): Promise<[string, Receipt]> {
    const raw = signPrivate({ privateFrom: from.key, chainId: NETWORK_CHAIN_ID, ...fields })
    const marker = await from.rpc<string>('eea_sendRawTransaction', raw)
    const receipt = await receiptOf(from, marker)
    expect(receipt.status).toBe('0x1')
    return [marker, receipt]
  }

  const receiptOf = (member: PrivateMember, marker: string): Promise<Receipt> =>
    eventually(async () => {
      const found = await member.rpc<Receipt | null>('priv_getTransactionReceipt', marker)
      if (found === null) throw new Error('not mined')
      return found
    })

  const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

  it('have private contracts in groups of two', { timeout: 180_000 }, async () => {
    members = await startPrivateNetwork([], undefined, 'embedded')
    const [first, second, third] = members as [PrivateMember, PrivateMember, PrivateMember]
    expect(first.key).toBe(toBase64(enclaveKeyPair(1).publicKey))
    const groups = [
      { pair: [first, second], stranger: third, key: 0x31 },
      { pair: [second, third], stranger: first, key: 0x32 },
    ] as const
    const results: { call: unknown[]; value: string; pair: readonly PrivateMember[] }[] = []
    for (const { pair, stranger, key } of groups) {
      const account = { key: word(key), to: [pair[1].key] }
      const [marker, { contractAddress: contract, privacyGroupId }] = await sent(pair[0], {
        ...account,
        nonce: 0,
        data: COUNTER_CODE,
      })
      await sent(pair[0], { ...account, nonce: 1, contract, data: word(key) })
      const call = ['priv_call', privacyGroupId, { to: contract, data: '0x' }, 'latest']
      results.push({ call, value: word(key), pair })
      for (const member of pair) await eventually(async () => expect(await ask(member, call)).toBe(word(key)))
      await eventually(async () => expect(await stranger.rpc('eth_getTransactionReceipt', marker)).not.toBeNull())
      expect(await stranger.rpc('priv_getTransactionReceipt', marker)).toBeNull()
      expect(await stranger.rpc('priv_getPrivateTransaction', marker)).toBeNull()
      expect(await stranger.rpc('priv_getCode', privacyGroupId, contract, 'latest')).toBeNull()
    }
    // The payloads are on disk.
    await second.end('kill')
    await second.start()
    for (const { call, value, pair } of results) {
      for (const member of pair) expect(await ask(member, call)).toBe(value)
    }
    expect(second.printed).toContain(second.key)
    for (const member of members) expect(member.printed).not.toMatch(/\bERROR\b/)
  })

  const ask = (member: PrivateMember, [method, ...params]: readonly unknown[]): Promise<unknown> =>
    member.rpc(method as string, ...params)
})
