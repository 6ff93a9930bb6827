/**
 * Finds what is known of the contract at an address.
 * @module
 */

import type { Artifact } from '../../abi/artifact.ts'
import { selectorsIn } from '../../abi/codeSelectors.ts'
import type { NamedItems } from '../../abi/decoder.ts'
import { type StandardInterface, standardInterfaces } from '../../abi/standardInterfaces.ts'
import { BEACON_CALL_GAS } from '../../base/limits/limits.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, hexToBytes } from '../../base/primitives/bytes.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { delegationTarget } from '../../evm/delegation.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { type CallBackend, CallSimulation } from '../calls/callSimulation.ts'
import { EMPTY_CALL } from '../calls/emptyCall.ts'
import type { Caller } from '../calls/notes.ts'
import type { ContractsAccess } from './access.ts'
import { type ProxyTarget, proxyTarget } from './proxies.ts'

export interface ContractsBackend extends CallBackend {
  readonly contracts: ContractsAccess
  readonly residency?: Residency | undefined
}

export interface KnownContract {
  /** 20 bytes */
  readonly address: Uint8Array
  /** The code that runs: of a delegating account, that of the account that it names. */
  readonly code: Uint8Array
  /** undefined: no artifact has this code */
  readonly artifact: Artifact | undefined
  /** Interfaces that the code has, if there is no artifact; the most specific first. */
  readonly interfaces: readonly StandardInterface[]
  /** In hex without prefix. */
  readonly selectors: readonly string[]
  /** EIP-7702: the account whose code runs. */
  readonly delegation: Uint8Array | undefined
  /** The contract that a proxy calls. */
  readonly implementation: Uint8Array | undefined
}

/** A contract with the ABIs that its calls and logs may be of: its own, then that of its implementation. */
export interface ResolvedContract extends KnownContract {
  /** undefined: neither an artifact nor an interface is known */
  readonly name: string | undefined
  readonly abis: readonly NamedItems[]
}

const IMPLEMENTATION_CALL = hexToBytes('0x5c60da1b')
const WORD = 32
const ADDRESS_BYTES = 20
const ABORTS_NEVER: Caller = { aborted: false, reason: undefined }

/** Contracts in the state after one block. Each address is looked up once. */
export class ContractResolver {
  readonly #backend: ContractsBackend
  readonly #header: ChainHeader
  readonly #known = new Map<string, Promise<ResolvedContract | undefined>>()

  constructor(backend: ContractsBackend, header: ChainHeader) {
    this.#backend = backend
    this.#header = header
  }

  /** @returns undefined for an account without code, and when the state is not available */
  async at(address: Uint8Array): Promise<ResolvedContract | undefined> {
    const key = address.join()
    let pending = this.#known.get(key)
    if (pending === undefined) {
      pending = this.#resolve(address)
      this.#known.set(key, pending)
    }
    return pending
  }

  async #resolve(address: Uint8Array): Promise<ResolvedContract | undefined> {
    const contract = await this.#knownAt(address)
    if (contract === undefined) return undefined
    const { artifact, interfaces, implementation } = contract
    const behind = implementation && (await this.#knownAt(implementation))?.artifact
    const abis = [artifact, behind].filter((abi) => abi !== undefined)
    return { ...contract, name: artifact?.name ?? behind?.name ?? interfaces[0]?.name, abis }
  }

  async #knownAt(address: Uint8Array): Promise<KnownContract | undefined> {
    const { contracts, residency, states } = this.#backend
    const { names } = contracts.knowledge
    const read = () =>
      retryMisses(() => {
        const state = states.at(this.#header)
        const own = state?.getCode(address) ?? EMPTY_BYTES
        if (state === undefined || own.length === 0) return undefined
        const delegation = delegationTarget(own)?.slice()
        const code = delegation === undefined ? own : state.getCode(delegation)
        return { code, delegation, artifact: names.ofCode(code), target: proxyTarget(address, code, state) }
      }, residency)
    let found = await read()
    if (found !== undefined && found.artifact === undefined && (await contracts.refresh())) found = await read()
    if (found === undefined) return undefined
    const { code, delegation, artifact, target } = found
    const selectors = selectorsIn(code)
    const interfaces = artifact === undefined ? interfacesOf(selectors) : []
    return { address, code, artifact, interfaces, selectors, delegation, implementation: await this.#behind(target) }
  }

  async #behind(target: ProxyTarget | undefined): Promise<Uint8Array | undefined> {
    if (target?.kind !== 'beacon') return target?.address
    const block = { kind: 'hash', hash: this.#header.hash, requireCanonical: false } as const
    const options = { block, stateOverrides: undefined, blockOverrides: undefined }
    try {
      const simulation = new CallSimulation(this.#backend, options, ABORTS_NEVER)
      const call = { ...EMPTY_CALL, to: target.address, data: IMPLEMENTATION_CALL }
      const outcome = await simulation.run(call, { chargesFees: false, gas: BEACON_CALL_GAS })
      const output = outcome.kind === 'executed' ? outcome.result.output : EMPTY_BYTES
      return output.length === WORD ? output.slice(WORD - ADDRESS_BYTES) : undefined
    } catch {
      // The beacon is an untrusted contract, and its answer only adds a name.
      return undefined
    }
  }
}

function interfacesOf(selectors: readonly string[]): readonly StandardInterface[] {
  const present = new Set(selectors)
  return standardInterfaces().filter(({ required }) => required.every((selector) => present.has(selector)))
}
