/**
 * The command `proxy`: a port for JSON-RPC whose answers are proven, in front of nodes that nobody trusts.
 * @module
 */
import {
  MAX_PROXY_BODY_BYTES,
  MAX_PROXY_CONNECTIONS,
  MAX_PROXY_PENDING_BYTES,
  PROXY_REQUEST_MS,
} from '../../../../src/base/limits/limits.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { urlOf } from '../../../../src/base/primitives/hostPort.ts'
import type { CommandCall } from '../../../../src/cli/parse.ts'
import { VERSION } from '../../../../src/node/version.ts'
import type { Trust, VerifiedOptions, VerifiedProvider } from '../../../../src/verified/contract.ts'
import { answerJson } from '../../../../src/verified/jsonRpc.ts'
import { createVerifiedProvider } from '../../../browser/verified.ts'
import { readGenesisFile } from '../../data/chooseGenesis.ts'
import { serveWhole, type WholeReply, type WholeServerLimits } from '../../http/wholeServer.ts'
import { rows } from '../banner.ts'
import type { Output } from '../output.ts'

type ProxyCall = Extract<CommandCall, { command: 'proxy' }>

const LIMITS: WholeServerLimits = {
  maxConnections: MAX_PROXY_CONNECTIONS,
  maxBodyBytes: MAX_PROXY_BODY_BYTES,
  maxPendingBytes: MAX_PROXY_PENDING_BYTES,
  requestMs: PROXY_REQUEST_MS,
}

/**
 * @param untilStopped resolves when the proxy is to end
 * @throws {NodeError} INVALID_OPTION, INVALID_GENESIS, PORT_IN_USE, LISTEN_FAILED
 */
export async function runProxy(
  { options, values }: ProxyCall,
  output: Output,
  untilStopped: () => Promise<void>,
): Promise<void> {
  const logger = output.logger.child('proxy')
  const { host, port, url, trust, pass } = values
  const provider = await createVerifiedProvider({
    url,
    ...chainOf(options['genesis-file'], options.network),
    trust: trustOf(trust, url),
    methods: pass.includes('all') ? 'all' : pass,
  })
  try {
    const server = await serveWhole({
      host,
      port,
      hosts: [...options['host-allowlist'], host],
      limits: LIMITS,
      answer: ({ method, body }) => reply(provider, method, body),
      logger,
    })
    try {
      print(urlOf('http', server), trust, output)
      await untilStopped()
    } finally {
      await server.close()
    }
  } finally {
    await provider.close()
  }
  output.report({ message: 'stopped' })
}

async function reply(provider: VerifiedProvider, method: string, body: Uint8Array): Promise<WholeReply> {
  if (method !== 'POST') return { status: 405, contentType: 'text/plain', body: 'Send JSON-RPC with POST' }
  const text = await answerJson(provider, new TextDecoder().decode(body))
  return { status: 200, contentType: 'application/json', body: text }
}

function chainOf(file: string | undefined, network: string | undefined): Pick<VerifiedOptions, 'genesis' | 'network'> {
  if (file !== undefined) return { genesis: readGenesisFile(file) }
  if (network !== undefined) return { network }
  throw invalid('give --genesis-file or --network: the rules of the chain must be known')
}

const HASH = /^0x[0-9a-f]{64}$/i

/** @throws {NodeError} INVALID_OPTION */
function trustOf(text: string, urls: readonly string[]): Trust {
  const [kind, value = ''] = text.split(':', 2)
  if (text === 'genesis') return { checkpoint: text }
  if (kind === 'hash' && HASH.test(value)) return { hash: value }
  if (kind === 'checkpoint' && HASH.test(value)) return { checkpoint: value }
  if (kind === 'agree' && /^[0-9]{1,3}$/.test(value)) return { heads: urls, agree: Number(value) }
  throw invalid('--trust must be genesis, checkpoint:HASH, hash:HASH or agree:NUMBER')
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}

function print(url: string, trust: string, output: Output): void {
  output.print({
    message: 'the proxy is running',
    fields: { version: VERSION, url, trust },
    text: () =>
      [
        `isonode v${VERSION}`,
        rows([
          ['JSON-RPC', url],
          ['trusted', trust],
        ]),
      ].join('\n'),
  })
}
