/**
 * The contract that decides about connections, asked on the state of the head.
 * @see permissioning.md section 7
 * @module
 */
import type { SenderCheckPlace } from '../chain/senderCheck.ts'
import { MAX_PERMISSION_VERDICTS } from '../config/limits.ts'
import { LruCache } from '../primitives/lruCache.ts'
import { type MaybePromise, mapMaybe } from '../primitives/maybePromise.ts'
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
  readonly caller: ContractCaller
  /** undefined when the state of the head is not available: nothing is permitted */
  readonly placeAtHead: () => SenderCheckPlace | undefined
  /** Called when an answer that took time changes a verdict. */
  readonly onChange: () => void
}

interface Verdict {
  isAllowed: boolean
  /** Number of the head that the verdict is for. */
  round: number
}

export class NodeContract {
  readonly #options: NodeContractOptions
  readonly #verdicts = new LruCache<string, Verdict>(MAX_PERMISSION_VERDICTS)
  #round = 0

  constructor(options: NodeContractOptions) {
    this.#options = options
  }

  /**
   * Asks once per head. While an answer takes time, the verdict for the head before is in force, and nothing is
   * permitted that had none.
   */
  allows(source: PeerEndpoint, destination: PeerEndpoint): boolean {
    const key = `${endpointKey(source)} ${endpointKey(destination)}`
    const known = this.#verdicts.get(key)
    if (known?.round === this.#round) return known.isAllowed
    const verdict: Verdict = { isAllowed: known?.isAllowed ?? false, round: this.#round }
    this.#verdicts.set(key, verdict, 1)
    const asked = this.#ask(source, destination)
    if (!(asked instanceof Promise)) {
      verdict.isAllowed = asked === 'allowed'
      return verdict.isAllowed
    }
    const settle = (isAllowed: boolean): void => {
      if (verdict.isAllowed === isAllowed) return
      verdict.isAllowed = isAllowed
      this.#options.onChange()
    }
    asked.then(
      (answer) => settle(answer === 'allowed'),
      () => settle(false),
    )
    return verdict.isAllowed
  }

  /** The head has changed: all answers are asked for again. */
  refresh(): void {
    this.#round++
  }

  #ask(source: PeerEndpoint, destination: PeerEndpoint): MaybePromise<ContractVerdict> {
    const { address, version, caller, placeAtHead } = this.#options
    const place = placeAtHead()
    if (place === undefined) return 'failed'
    if (version === 1) return caller.ask(connectionCall(address, source, destination), connectionVerdict, place)
    const ask = (node: PeerEndpoint) => caller.ask(nodeCall(address, node), booleanVerdict, place)
    return mapMaybe(ask(source), (answer) => (answer === 'allowed' ? ask(destination) : answer))
  }
}
