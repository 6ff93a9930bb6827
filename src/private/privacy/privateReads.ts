/**
 * Reads of the private states of groups. Answers come from the node's own store: the enclave is not asked.
 * @module
 */

import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import { storedAncestorHashes } from '../../chain/ancestorHashes.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { ExecutionContext } from '../../chain/transition/applyMessage.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import { headerEnvironment } from '../../chain/transition/headerEnvironment.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { Evm, MessageResult } from '../../evm/evm.ts'
import type { StateReader, StateRoot } from '../../state/contract.ts'
import { requireState } from '../../state/errors.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { type GroupContract, readGroupContract } from './flexibleRules.ts'
import type { PrivacyGroup } from './groups.ts'
import { runPrivateCall } from './privateExecution.ts'
import { chainTo, groupRoot, type OnChain, recordedGroups } from './privateRecords.ts'

export interface PrivateReadsOptions {
  readonly chain: ChainReader
  readonly store: KeyValueReader
  readonly privateStates: StateStore
  /** Public states. */
  readonly states: StateStore
  readonly execution: ExecutionDeps
  /** Executes private messages. */
  readonly evm: Evm
  /** Wall-clock limit of a call. */
  readonly callTimeoutMs: number
}

export interface PrivateCallRequest {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly data: Uint8Array
  readonly value: bigint
  readonly gasPrice: bigint
}

/** Group ids are 32 bytes. */
export class PrivateReads {
  readonly #options: PrivateReadsOptions

  constructor(options: PrivateReadsOptions) {
    this.#options = options
  }

  /** Repeats reads after store misses. */
  resident<T>(work: () => T): Promise<T> {
    return retryMisses(work, this.#options.execution.control.residency)
  }

  /** The blocks up to a block, on its chain. May throw `StoreMiss`. */
  chainTo({ header, hash }: ChainHeader): OnChain {
    const { chain } = this.#options
    return chainTo(
      { number: Number(header.number), hash },
      {
        canonicalHash: (number) => chain.canonicalHash(number),
        parentHash: (of) => chain.headerByHash(of)?.header.parentHash,
      },
    )
  }

  /** The state of a group after a block; that of a group without transactions is empty. May throw `StoreMiss`. */
  rootAt(groupId: Uint8Array, block: ChainHeader): StateRoot {
    return groupRoot(this.#options.store, groupId, Number(block.header.number), this.chainTo(block))
  }

  stateAt(groupId: Uint8Array, block: ChainHeader): StateReader {
    return this.#options.privateStates.reader(this.rootAt(groupId, block))
  }

  /** Nonce of an account at the head. */
  nonce(groupId: Uint8Array, address: Uint8Array): Promise<bigint> {
    return this.resident(() => this.stateAt(groupId, this.#options.chain.head).getAccount(address)?.nonce ?? 0n)
  }

  /** @returns undefined when the group has no such account */
  code(groupId: Uint8Array, address: Uint8Array, block: ChainHeader): Promise<Uint8Array | undefined> {
    return this.resident(() => {
      const state = this.stateAt(groupId, block)
      const account = state.getAccount(address)
      if (account === undefined) return undefined
      return equalBytes(account.codeHash, EMPTY_CODE_HASH) ? EMPTY_BYTES : state.getCode(address)
    })
  }

  /** Calls a contract on the states after a block. Nothing is stored. */
  async call(
    groupId: Uint8Array,
    { from, to, data, value, gasPrice }: PrivateCallRequest,
    block: ChainHeader,
    signal?: AbortState,
  ): Promise<MessageResult> {
    const { own, publicState } = await this.#statesAt(groupId, block)
    const account = await this.resident(() => own.getAccount(from))
    own.beginTransaction()
    own.setNonce(from, (account?.nonce ?? 0n) + 1n)
    const context = this.#contextAt(block, signal)
    return runPrivateCall({ sender: from, to, data, value, gasPrice }, { own, public: publicState }, context)
  }

  /** The contract of a flexible group after a block. */
  async contract(groupId: Uint8Array, block: ChainHeader = this.#options.chain.head): Promise<GroupContract> {
    const { own, publicState } = await this.#statesAt(groupId, block)
    return readGroupContract({ own, public: publicState }, this.#contextAt(block))
  }

  /** The flexible groups at the head that have all of some members, in Base64. */
  async flexibleGroups(members: readonly string[]): Promise<PrivacyGroup[]> {
    const ids = await this.resident(() => [...recordedGroups(this.#options.store)])
    const groups: PrivacyGroup[] = []
    for (const id of ids) {
      const contract = await this.contract(id)
      if (contract.version === undefined || !members.every((member) => contract.members.includes(member))) continue
      const privacyGroupId = toBase64(id)
      groups.push({ privacyGroupId, name: '', description: '', type: 'FLEXIBLE', members: contract.members })
    }
    return groups
  }

  #statesAt(groupId: Uint8Array, block: ChainHeader) {
    const { privateStates, states } = this.#options
    return this.resident(() => ({
      own: privateStates.mutable(this.rootAt(groupId, block)),
      publicState: states.reader(requireState(block.stateRoot)),
    }))
  }

  #contextAt(block: ChainHeader, signal?: AbortState): ExecutionContext {
    const { chain, execution, evm, callTimeoutMs } = this.#options
    const { config, consensus, control } = execution
    const { header } = block
    return {
      chainId: block.dev?.chainId ?? config.chainId,
      rules: config.rulesAt(header),
      contractSizeLimit: config.options.contractSizeLimit,
      block: {
        ...headerEnvironment(header, consensus.claimedBy(header).author(header)),
        dev: block.dev,
        blockHash: storedAncestorHashes(chain, block),
      },
      evm,
      control: { ...control, deadlineMs: callTimeoutMs, signal },
    }
  }
}
