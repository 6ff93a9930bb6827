/**
 * The rules that a remote says its chain has at present: eth_config of EIP-7910.
 * @module
 */
import { NodeError } from '../../base/primitives/errors.ts'
import type { DevFork } from '../../config/devGenesis.ts'
import type { RemoteRules } from '../../dev/forkedChain.ts'
import { cacheKeys } from '../../fork/cacheKeys.ts'
import type { ForkSource } from '../../fork/contract.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import { RemoteObject } from '../../fork/remoteObject.ts'
import type { RemoteClient } from '../../remote/contract.ts'

/** Forks by a precompiled contract that they brought, newest first. */
const FORKS: readonly (readonly [precompile: string, fork: DevFork])[] = [
  ['P256VERIFY', 'OSAKA'],
  ['BLS12_G1ADD', 'PRAGUE'],
]
const NO_RULES: RemoteRules = {}
const METHOD = 'eth_config'

/**
 * Asked only where the header does not show the fork, and only once: the answer is cached.
 * @returns nothing where the remote has no such method
 */
export async function remoteRules(
  client: RemoteClient | undefined,
  source: ForkSource,
  { block, scope }: ForkPoint,
): Promise<RemoteRules> {
  if (block.header.requestsHash === undefined) return NO_RULES
  const key = cacheKeys.rules(scope, block.hash)
  const [cached] = await source.getMany([key])
  if (cached !== undefined) return rulesOf(JSON.parse(new TextDecoder().decode(cached)))
  const value = client && (await answer(client))
  if (value === undefined) return NO_RULES
  const rules = rulesOf(value)
  source.put([[key, new TextEncoder().encode(JSON.stringify(value))]])
  return rules
}

async function answer(client: RemoteClient): Promise<unknown> {
  const [result] = await client.requestAll([{ method: METHOD, params: [] }])
  return result?.kind === 'result' ? (result.value ?? undefined) : undefined
}

function rulesOf(value: unknown): RemoteRules {
  try {
    const current = new RemoteObject(new RemoteObject(value, METHOD).raw('current'), `${METHOD}.current`)
    const precompiles = new RemoteObject(current.raw('precompiles'), `${METHOD}.current.precompiles`)
    const [, fork] = FORKS.find(([name]) => precompiles.has(name)) ?? []
    const contracts = new RemoteObject(current.raw('systemContracts') ?? {}, `${METHOD}.current.systemContracts`)
    const deposits = contracts.raw('DEPOSIT_CONTRACT_ADDRESS')
    return {
      ...(fork === undefined ? {} : { fork }),
      ...(typeof deposits === 'string' ? { depositContract: deposits } : {}),
    }
  } catch (error) {
    // Its form is young, and some nodes answer in another one.
    if (error instanceof NodeError) return NO_RULES
    throw error
  }
}
