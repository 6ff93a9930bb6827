/** The port of an enclave for other enclaves. */
import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startEnclave } from '../../../../adapters/server/enclave/running.ts'
import { enclaveSettings } from '../../../../adapters/server/settings.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { defaultOptions } from '../../../../src/config/options.ts'

it('answers requests for its own hosts only, so that a page with a rebound name reads nothing', async () => {
  const options = {
    ...defaultOptions(false),
    'privacy-enclave-host': '127.0.0.1',
    'privacy-enclave-port': 0,
    'privacy-enclave-url': 'https://enclave.example.com:8443/',
    'host-allowlist': ['member-b'],
  }
  const { server, close } = await startEnclave(enclaveSettings(options), undefined, silentLogger)
  onTestFinished(close)
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { host: hostname, port } = server
      const sent = request({ hostname, port, path: '/partyinfo', headers: { host } }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      sent.on('error', reject).end()
    })
  expect(await statusFor('evil.example.net')).toBe(403)
  for (const host of ['enclave.example.com:8443', `127.0.0.1:${server.port}`, 'member-b']) {
    expect([host, await statusFor(host)]).toEqual([host, 200])
  }
})
