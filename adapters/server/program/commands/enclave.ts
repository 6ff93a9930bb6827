/**
 * The commands `enclave` and `enclave keys`.
 * @module
 */

import path from 'node:path'
import { toBase64 } from '../../../../src/base/primitives/base64.ts'
import { urlOf } from '../../../../src/base/primitives/hostPort.ts'
import type { CommandCall } from '../../../../src/cli/parse.ts'
import type { HttpServer } from '../../../../src/http/server.ts'
import { VERSION } from '../../../../src/node/version.ts'
import { firstPassword, generateKey, publicFileOf } from '../../enclave/keys.ts'
import { type RunningEnclave, startEnclave } from '../../enclave/running.ts'
import { serveEnclave } from '../../enclave/server.ts'
import { enclaveSettings } from '../../settings.ts'
import { enclaveRows, rows } from '../banner.ts'
import type { Output } from '../output.ts'

type EnclaveCall = Extract<CommandCall, { command: 'enclave' }>
type KeysCall = Extract<CommandCall, { command: 'enclave keys' }>

const DEFAULT_DIRECTORY = '.isonode'

/**
 * Runs an enclave for nodes in other programs.
 * @param untilStopped resolves when the enclave is to end
 * @throws {NodeError} as `startEnclave`
 */
export async function runEnclave(
  { options, values }: EnclaveCall,
  output: Output,
  untilStopped: () => Promise<void>,
): Promise<void> {
  const logger = output.logger.child('enclave')
  const directory = path.resolve(options['data-path'] ?? DEFAULT_DIRECTORY)
  const running = await startEnclave(enclaveSettings(options), options.ephemeral ? undefined : directory, logger)
  const { enclave } = running
  let rest: HttpServer | undefined
  try {
    const host = values['rest-host']
    rest = await serveEnclave({
      host,
      port: values['rest-port'],
      hosts: [...options['host-allowlist'], host],
      answer: (request) => enclave.answerNode(request),
      logger,
    })
    print(running, urlOf('http', rest), output)
    await untilStopped()
  } finally {
    await rest?.close()
    await running.close()
  }
  output.report({ message: 'stopped' })
}

function print(running: RunningEnclave, rest: string, output: Output): void {
  const { enclave, url, directory } = running
  output.print({
    message: 'the enclave is running',
    fields: { version: VERSION, url, rest, keys: enclave.publicKeys, directory: directory ?? null },
    text: () =>
      [
        `isonode v${VERSION}`,
        rows([['for nodes', rest], ...enclaveRows(running), ['data', directory ?? 'in memory']]),
      ].join('\n'),
  })
}

/** @throws {NodeError} INVALID_OPTION */
export async function writeEnclaveKeys({ options, values }: KeysCall, output: Output): Promise<void> {
  const password = firstPassword(options['privacy-enclave-password-file'])
  const { publicKey } = await generateKey(values.to, password)
  const key = toBase64(publicKey)
  output.print({
    message: 'wrote a key pair of an enclave',
    fields: { secretKey: values.to, publicKey: publicFileOf(values.to), key },
    text: () => key,
  })
}
