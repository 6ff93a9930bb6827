/**
 * The conformance tests of go-ethereum's `devp2p` tool against discovery on a real UDP socket. Needs the tool in
 * `$PEERS_CACHE/geth-1.17.6/bin` (default: .cache/peers).
 * @module
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { nodeUdpSockets } from '../../adapters/server/net/udpSockets.ts'
import { systemClock, systemRandom, systemTimers } from '../../adapters/shared/systemPorts.ts'
import { createSigner } from '../../src/base/ports/keySigner.ts'
import { DiscoveryService } from '../../src/net/p2p/discovery/discoveryService.ts'
import { createRecord, type NodeRecord, recordText } from '../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../src/net/p2p/discovery/recordEntries.ts'
import { needsTool } from '../support/host/needs.ts'
import { runTool } from './devp2pTool.ts'

const HOST = '127.0.0.1'
const cache = process.env['PEERS_CACHE'] ?? path.resolve(import.meta.dirname, '../../.cache/peers')
const tool = path.join(cache, 'geth-1.17.6/bin/devp2p')

let service: DiscoveryService | undefined

/** @returns the record of a running node */
async function startNode(): Promise<NodeRecord> {
  const signer = createSigner(systemRandom)
  let record = createRecord(signer, 1n, contactEntries({ host: HOST }))
  service = await DiscoveryService.start({
    signer,
    random: systemRandom,
    clock: systemClock,
    timers: systemTimers,
    sockets: nodeUdpSockets,
    listen: { host: HOST, port: 0 },
    self: { host: HOST, udpPort: 0, tcpPort: 0 },
    bootnodes: [],
    record: () => record,
    allows: () => true,
    acceptsRecord: () => true,
  })
  const { port } = service.address
  record = createRecord(signer, 2n, contactEntries({ host: HOST, udpPort: port, tcpPort: port }))
  return record
}

/** @returns the results in the Test Anything Protocol */
function results(output: string): { readonly passed: string[]; readonly failed: string[] } {
  const lines = output.split('\n')
  return {
    passed: lines.filter((line) => /^ok \d/.test(line)),
    failed: lines.filter((line) => /^not ok \d/.test(line)),
  }
}

beforeAll(async () => {
  await installNodeCrypto()
})

afterEach(async () => {
  await service?.close()
})

describe('devp2p, the tool of go-ethereum', needsTool('devp2p', existsSync(tool)), () => {
  it('discv4 test passes', async () => {
    const record = await startNode()
    const output = await runTool(tool, ['discv4', 'test', '--tap', '--remote', recordText(record)])
    const { passed, failed } = results(output)
    expect(failed, output).toEqual([])
    expect(passed.length, output).toBe(15)
  })

  it('discv5 test passes', async () => {
    const record = await startNode()
    const output = await runTool(tool, ['discv5', 'test', '--tap', recordText(record)])
    const { passed, failed } = results(output)
    expect(failed, output).toEqual([])
    expect(passed.length, output).toBe(10)
  })
})
