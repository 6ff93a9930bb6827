/** Methods over a chain with pool and feeds, on both transports. */

import { DEFAULT_API_OPTIONS } from '../../../src/api/options.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { DevChain } from '../../../src/dev/contract.ts'
import { RpcSession } from '../../../src/http/rpcSession.ts'
import type { SocketPort } from '../../../src/http/socketPort.ts'
import type { RpcBackend } from '../../../src/rpc/backend.ts'
import { Envelope } from '../../../src/rpc/envelope.ts'
import type { ApiGroup } from '../../../src/rpc/method.ts'
import { debugMethods } from '../../../src/rpc/methods/debug/index.ts'
import { ethMethods } from '../../../src/rpc/methods/eth/index.ts'
import { minerMethods } from '../../../src/rpc/methods/miner/index.ts'
import { txpoolMethods } from '../../../src/rpc/methods/txpool/index.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { TEST_CLOCK } from '../chains/testChain.ts'
import { testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'
import { openRpcParts, type RpcPartsOptions } from './rpcParts.ts'

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const GROUPS: readonly ApiGroup[] = ['ETH', 'DEBUG', 'MINER', 'TXPOOL']
const registry = new MethodRegistry<RpcBackend>([...debugMethods, ...ethMethods, ...minerMethods, ...txpoolMethods])

/** Backend members of methods that write, and of methods that show the effects. */
export function openWriteRpc(
  chain: Chain,
  options: RpcPartsOptions & { readonly dev?: Pick<DevChain, 'accounts'> } = {},
) {
  const { profile = 'besu', dev } = options
  const parts = openRpcParts(chain, options)
  const backend = {
    ...parts,
    chain,
    states: { at: (header: typeof chain.head) => chain.stateAt(header) },
    dev,
    options: { ...DEFAULT_API_OPTIONS, profile },
    timers: testTimers,
    yieldToHost: () => Promise.resolve(),
  } as unknown as RpcBackend
  const common = { backend, profile, logger: silentLogger, clock: TEST_CLOCK, yieldToHost: testYield }
  const envelope = new Envelope({ ...common, served: registry.serve(GROUPS) })
  const call = async (method: string, ...params: unknown[]): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return JSON.parse((await envelope.handle(body, new RpcRequestContext({ groups: new Set(GROUPS) }))).body) as Answer
  }
  const socketEnvelope = new Envelope({
    ...common,
    served: registry.serve(GROUPS, true),
    transport: 'websocket',
  })
  /** Texts that the peer receives. */
  const connect = () => {
    const texts: string[] = []
    const port: SocketPort = {
      send: (text) => void texts.push(text),
      bufferedAmount: () => 0,
      pause: () => {},
      resume: () => {},
      close: () => {},
      terminate: () => {},
    }
    const session = new RpcSession(
      { envelope: socketEnvelope, logger: silentLogger, clock: common.clock, timers: testTimers },
      port,
      undefined,
    )
    const send = (message: unknown) => session.receive(JSON.stringify(message))
    return { session, texts, send, messages: () => texts.map((text) => JSON.parse(text) as unknown) }
  }
  return { ...parts, call, connect }
}
