/** A session between Node and a peer on each other runtime, over real sockets. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { loadNodeFrameCiphers } from '../../adapters/server/crypto/frameCiphers.ts'
import { nodeTcpSockets } from '../../adapters/server/net/tcpSockets.ts'
import { equalBytes, hexToBytes } from '../../src/base/primitives/bytes.ts'
import type { AgreedCapability } from '../../src/net/p2p/rlpx/capabilities.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'
import { openPeer } from '../unit/net/p2p/rlpx/peers.ts'
import { realHost, until } from '../unit/net/p2p/rlpx/realHost.ts'
import { REPOSITORY } from './support/chains.ts'

const PROGRAM = path.join(REPOSITORY, 'test/runtime/support/rlpxEcho.ts')

describe.each([
  ['deno', denoBinary(), ['run', '-A', '--node-modules-dir=manual', '--no-lock', PROGRAM]],
  ['bun', bunBinary(), ['run', PROGRAM]],
] as const)('RLPx on %s', (_, command, args) => {
  it('exchanges messages with Node', async () => {
    const child = spawn(command, args, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    try {
      await until(() => lines.length > 0)
      const { port, id } = JSON.parse(lines[0] as string) as { port: number; id: string }
      const connection = await nodeTcpSockets.connect({ host: '127.0.0.1', port })
      const peer = openPeer(realHost(78, await loadNodeFrameCiphers()), connection, hexToBytes(id))
      await until(() => peer.session.isOpen)
      const random = new SeededRandom(3)
      const payloads = [0, 1, 1000, 100_000, 1_000_000].map((length) => random.bytes(length))
      const eth = peer.opened[0]?.capabilities[0] as AgreedCapability
      for (const [code, payload] of payloads.entries()) peer.session.send(eth, code, payload)
      await until(() => peer.messages.length === payloads.length)
      for (const { code, payload } of peer.messages) {
        expect(equalBytes(payload, payloads[code] as Uint8Array), `message ${code}`).toBe(true)
      }
      peer.session.disconnect('quitting')
      await until(() => peer.ends.length > 0 && lines.length > 1)
      expect(JSON.parse(lines[1] as string)).toEqual({ reason: 'quitting', by: 'remote' })
    } finally {
      child.kill()
    }
  })
})
