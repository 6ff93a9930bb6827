/**
 * Answers of the proven methods, each from the view of one trusted head.
 * @module
 */
import { LATEST } from '../api/blockReference.ts'
import { requireHeader } from '../api/lookup.ts'
import { bytesToHex, EMPTY_BYTES, equalBytes, tryHexToBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { ChainHeader } from '../chain/contract.ts'
import { contradictedAnswer, unsupported } from '../fork/errors.ts'
import type { RemoteAccess } from '../fork/remoteAccess.ts'
import { RemoteObject, readBytes } from '../fork/remoteObject.ts'
import { blockNumberOrTagOrHash } from '../rpc/codecs/blockParameter.ts'
import { storageKey } from '../rpc/codecs/proof.ts'
import { address } from '../rpc/codecs/scalars.ts'
import { arrayOf } from '../rpc/codecs/support.ts'
import { invoke } from '../rpc/invoke.ts'
import type { MethodDefinition, RequestContext } from '../rpc/method.ts'
import { TextResult } from '../rpc/textResult.ts'
import { verifyAccountProof } from '../state/accountProof.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { ReadBackend } from './backend.ts'
import { BLOCK_METHODS, provenMethod } from './methods.ts'
import type { VerifiedView } from './verifiedView.ts'

const PROFILE = 'geth'
const CONTEXT: RequestContext = { aborted: false, reason: undefined, signal: undefined, groups: new Set(['ETH']) }
/** Rounds of a request that reads many blocks one after the other. */
const MAX_ROUNDS = 10_000

export class Answers {
  readonly #remote: RemoteAccess

  constructor(remote: RemoteAccess) {
    this.#remote = remote
  }

  /** @returns undefined for a method that is not proven */
  async answer(
    view: VerifiedView,
    method: string,
    params: readonly unknown[],
  ): Promise<{ readonly result: unknown } | undefined> {
    if (method === 'eth_getProof') return { result: await this.#proof(view, params) }
    if (method === 'eth_sendRawTransaction') return { result: await this.#send(params) }
    const proven = await provenMethod(method)
    if (proven === undefined) return undefined
    const result = proven.isCall
      ? await this.#invoke(await view.calls(), proven.definition, params)
      : await this.#invoke(view.reads, proven.definition, params)
    return { result: provenPart(method, result) }
  }

  async #invoke<Backend extends ReadBackend>(
    backend: Backend,
    definition: MethodDefinition<Backend>,
    params: readonly unknown[],
  ): Promise<unknown> {
    const run = async (): Promise<unknown> => invoke(definition, backend, params, CONTEXT, PROFILE)
    const result = await retryMisses(run, backend.residency, MAX_ROUNDS)
    return result instanceof TextResult ? JSON.parse(result.text) : result
  }

  #header({ reads }: VerifiedView, block: unknown): Promise<ChainHeader> {
    const reference = block === undefined || block === null ? LATEST : blockNumberOrTagOrHash.parse(block, PROFILE)
    return retryMisses(() => requireHeader(reads.chain, reference), reads.residency, MAX_ROUNDS)
  }

  /** The remote's proof, once it is verified. */
  async #proof(view: VerifiedView, [account, keys, block]: readonly unknown[]): Promise<unknown> {
    const owner = address.parse(account, PROFILE)
    const slots = arrayOf(storageKey).parse(keys ?? [], PROFILE)
    const { header, hash } = await this.#header(view, block)
    const params = [bytesToHex(owner), slots.map(({ slot }) => bytesToHex(slot)), { blockHash: bytesToHex(hash) }]
    const [value] = await this.#remote.valuesOf([{ method: 'eth_getProof', params }], `the proof of ${params[0]}`)
    const asked = slots.map(({ slot }) => slot)
    verifyAccountProof(header.stateRoot, owner, asked, value)
    return provenMembers(value, keys)
  }

  /** The hash is that of the transaction; whether the remote keeps it, nobody can prove. */
  async #send(params: readonly unknown[]): Promise<unknown> {
    const [raw] = params
    const [value] = await this.#remote.valuesOf([{ method: 'eth_sendRawTransaction', params }], 'a transaction')
    const hash = readBytes(value, 'eth_sendRawTransaction', 32)
    const bytes = typeof raw === 'string' ? tryHexToBytes(raw) : undefined
    if (equalBytes(hash, keccak256(bytes ?? EMPTY_BYTES))) return value
    throw contradictedAnswer('eth_sendRawTransaction', 'it is not the hash of the transaction')
  }
}

/** An answer without what nothing proves. */
function provenPart(method: string, result: unknown): unknown {
  if (method === 'eth_simulateV1') return simulatedPart(result)
  return BLOCK_METHODS.has(method) ? without(result, 'totalDifficulty') : result
}

/** Only the whole state has a root, on which the hash of a simulated block depends. */
function simulatedPart(result: unknown): unknown {
  const blocks = result as readonly { readonly calls: readonly { readonly logs?: readonly unknown[] }[] }[]
  if (blocks.length !== 1) throw unsupported('a simulation of several blocks, which know the hashes of each other')
  return blocks.map((block) => {
    const calls = block.calls.map((call) =>
      call.logs === undefined ? call : { ...call, logs: call.logs.map((log) => without(log, 'blockHash')) },
    )
    return { ...(without(block, 'hash', 'stateRoot') as object), calls }
  })
}

function without(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** The members of the answer that were verified, with the keys as the client wrote them. */
function provenMembers(value: unknown, keys: unknown): unknown {
  const json = new RemoteObject(value, 'eth_getProof')
  const names = ['address', 'accountProof', 'balance', 'codeHash', 'nonce', 'storageHash']
  const account = Object.fromEntries(names.map((name) => [name, json.raw(name)]))
  const storageProof = json.list('storageProof', (keys as readonly unknown[]).length, (item, datum) => {
    const entry = new RemoteObject(item, datum)
    return { value: entry.raw('value'), proof: entry.raw('proof') }
  })
  return {
    ...account,
    storageProof: storageProof.map((entry, i) => ({ key: (keys as readonly unknown[])[i], ...entry })),
  }
}
