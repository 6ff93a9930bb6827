/**
 * The contract that decides about connections, asked on the state of the head.
 * @see docs/reference/permissioning.md section 7
 * @module
 */

import { MAX_PERMISSION_VERDICTS } from '../base/limits/limits.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { type MaybePromise, mapMaybe } from '../base/primitives/maybePromise.ts'
import type { SenderCheckContext } from '../chain/senderCheck.ts'
import type { PeerEndpoint } from './contract.ts'
import type { ContractCaller } from './contractCaller.ts'
import { booleanVerdict, type ContractVerdict, connectionCall, connectionVerdict, nodeCall } from './contractCalls.ts'
import { endpointKey } from './endpointKey.ts'

/** 1: one question about both ends; 2: one question about each end. */
export type NodeContractVersion = 1 | 2

export interface NodeContractOptions {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly version: NodeContractVersion
  readonly caller: Pick<ContractCaller, 'ask'>
  /** undefined when the state of the head is not available: nothing is permitted */
  readonly contextAtHead: () => SenderCheckContext | undefined
  /** Called when an answer that took time changes a verdict. */
  readonly onChange: () => void
}

interface Verdict {
  isAllowed: boolean
  /** Number of the head that the question is about. */
  readonly round: number
  /** Number of the head that the answer in force is about; -1: there is no answer. */
  answered: number
}

export class NodeContract {
  readonly #options: NodeContractOptions
  readonly #verdicts = new LruCache<string, Verdict>(MAX_PERMISSION_VERDICTS)
  #round = 0

  constructor(options: NodeContractOptions) {
    this.#options = options
  }

  /**
   * Asks once per head. While an answer takes time, the previous answer is in force; without one, nothing is permitted.
   */
  allows(source: PeerEndpoint, destination: PeerEndpoint): boolean {
    const key = `${endpointKey(source)} ${endpointKey(destination)}`
    const cachedVerdict = this.#verdicts.get(key)
    if (cachedVerdict?.round === this.#round) return cachedVerdict.isAllowed
    const round = this.#round
    const verdict: Verdict = {
      isAllowed: cachedVerdict?.isAllowed ?? false,
      round,
      answered: cachedVerdict?.answered ?? -1,
    }
    this.#verdicts.set(key, verdict, 1)
    const asked = this.#ask(source, destination)
    if (!(asked instanceof Promise)) {
      verdict.answered = round
      verdict.isAllowed = asked === 'allowed'
      return verdict.isAllowed
    }
    asked.then(
      (answer) => this.#settle(key, round, answer === 'allowed'),
      () => this.#settle(key, round, false),
    )
    return verdict.isAllowed
  }

  /** The head has changed: all answers are asked for again. */
  refresh(): void {
    this.#round++
  }

  /** An answer that took time is in force until one about a later head arrives. */
  #settle(key: string, round: number, isAllowed: boolean): void {
    const verdict = this.#verdicts.get(key)
    if (verdict === undefined || verdict.answered >= round) return
    verdict.answered = round
    if (verdict.isAllowed === isAllowed) return
    verdict.isAllowed = isAllowed
    this.#options.onChange()
  }

  /** Never throws: without an answer, nothing is permitted. */
  #ask(source: PeerEndpoint, destination: PeerEndpoint): MaybePromise<ContractVerdict> {
    try {
      return this.#call(source, destination)
    } catch {
      return 'failed'
    }
  }

  #call(source: PeerEndpoint, destination: PeerEndpoint): MaybePromise<ContractVerdict> {
    const { address, version, caller, contextAtHead } = this.#options
    const context = contextAtHead()
    if (context === undefined) return 'failed'
    if (version === 1) return caller.ask(connectionCall(address, source, destination), connectionVerdict, context)
    const ask = (node: PeerEndpoint) => caller.ask(nodeCall(address, node), booleanVerdict, context)
    return mapMaybe(ask(source), (answer) => (answer === 'allowed' ? ask(destination) : answer))
  }
}
