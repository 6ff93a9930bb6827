import type { ForkAccess, ForkResetTarget, ForkStatus } from '../../api/forkAccess.ts'
import type { RemoteLogs } from '../../api/remoteLogs.ts'
import type { KeyValueStore, Residency } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Unsubscribe } from '../../base/primitives/events.ts'
import { decodeTransactionKeys } from '../../chain/blockRecord.ts'
import type { Chain } from '../../chain/chain.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { DevChain } from '../../dev/contract.ts'
import { type ForkBody, transactionsOf } from '../../fork/forkContent.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import type { ForkStore } from '../../fork/forkStore.ts'
import type { FundedBase } from '../../fork/fundedBase.ts'
import type { Fork } from '../../fork/openFork.ts'
import type { LayeredSource } from '../../fork/sources.ts'
import type { RemoteClient, RemoteStatus } from '../../remote/contract.ts'
import type { AccountProof } from '../../state/contract.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { checkedUrl, type ForkSettings, originOf, targetOf } from '../settings/forkSettings.ts'

/** A remote with the block that is continued. */
export interface OpenedRemote {
  readonly urls: ForkSettings['urls']
  readonly client: RemoteClient | undefined
  readonly fork: Fork
}

export interface ForkControlParts {
  readonly settings: ForkSettings
  readonly base: FundedBase
  readonly source: LayeredSource
  readonly opened: OpenedRemote
  /** @throws {NodeError} those of the remote */
  open(urls: ForkSettings['urls'], target: ForkSettings['target']): Promise<OpenedRemote>
  /** The text of the genesis of a chain that continues a block. */
  genesisText(point: ForkPoint): Promise<string>
}

/** Of a fork that never asks. */
const SILENT: RemoteStatus = {
  origins: [],
  requests: 0,
  calls: 0,
  retries: 0,
  waitedMs: 0,
  bytesSent: 0,
  bytesReceived: 0,
  capabilities: {},
}

/** The fork of a running node: its state, and what methods may do with it. */
export class ForkControl implements ForkAccess {
  readonly base: FundedBase
  readonly #parts: ForkControlParts
  #opened: OpenedRemote
  #store: ForkStore | undefined
  #dev: DevChain | undefined

  constructor(parts: ForkControlParts) {
    this.#parts = parts
    this.base = parts.base
    this.#opened = parts.opened
  }

  /** The store of the chain. @param residency of an asynchronous local store */
  over(local: KeyValueStore, residency?: Residency): KeyValueStore & Residency {
    this.#store = this.#opened.fork.storeOver(local, residency)
    return this.#store
  }

  /** @param dev the chain that continues the remote */
  follow(dev: DevChain | undefined): ForkAccess {
    this.#dev = dev
    return this
  }

  /**
   * Executes what leads to the wanted state, and fetches ahead of the chain. With a pack, it fetches only what a block waits for:
   * packs of equal runs are equal, and do not depend on what was being fetched at the end.
   * @param chain that continues the remote
   */
  lifecycle(chain: Pick<Chain, 'events' | 'head'>): Lifecycle {
    const { packFile, isOffline } = this.#parts.settings
    const prepare = ({ head }: { readonly head: ChainHeader }) => void this.#opened.fork.state.prepare(head.header)
    let unsubscribe: Unsubscribe | undefined
    return {
      name: 'fork',
      start: () => {
        if (packFile === undefined && !isOffline) unsubscribe = chain.events.on('head', prepare)
        return this.#replay(chain.head)
      },
      stop: () => unsubscribe?.(),
    }
  }

  /**
   * Executes the transactions after the block that lead to the wanted state.
   * @param head of the local chain
   * @throws {NodeError} INVALID_PARAMS when one of them cannot be executed here
   */
  async #replay({ hash }: Pick<ChainHeader, 'hash'>): Promise<void> {
    const { replay, block } = this.point
    if (replay === undefined || this.#dev === undefined || !equalBytes(hash, block.hash)) return
    const [body] = (await this.#opened.fork.blocks.bodies([replay.block])) as [ForkBody]
    const { senders } = decodeTransactionKeys(body.transactionKeys)
    const wanted = transactionsOf(body).slice(0, replay.index + 1)
    const transactions = wanted.map((transaction, i) => ({
      transaction,
      sender: senders[i] as Uint8Array,
      isImpersonated: false,
    }))
    const { timestamp, beneficiary, extraData, gasLimit, mixHash, baseFeePerGas, parentBeaconBlockRoot } =
      replay.block.header
    await this.#dev.mining.mineGiven(transactions, {
      timestamp,
      beneficiary,
      extraData,
      gasLimit,
      prevRandao: mixHash,
      ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
      ...(parentBeaconBlockRoot === undefined ? {} : { parentBeaconBlockRoot }),
    })
  }

  get point(): ForkPoint {
    return this.#opened.fork.point
  }

  get block(): ForkAccess['block'] {
    return this.point.block
  }

  get chainId(): bigint {
    return this.point.chainId
  }

  get origin(): string | undefined {
    const [url] = this.#opened.urls
    return url === undefined ? undefined : originOf(url)
  }

  get retryBackoffMs(): number {
    return this.#parts.settings.backoffMs
  }

  get status(): ForkStatus {
    const { uses, misses } = this.#parts.source
    const hits = uses.reduce((sum, use) => sum + use.hits, 0)
    return { ...(this.#opened.client?.status ?? SILENT), hits, misses }
  }

  get logs(): RemoteLogs | undefined {
    // Nothing proves that the remote leaves no log out: only a search of the receipts does.
    if (this.#parts.settings.verify === 'proofs') return undefined
    const { queries, point } = this.#opened.fork
    return { last: point.block.number, find: (terms, range) => queries.logs(terms, range) }
  }

  prove({ header, hash }: ChainHeader, address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof> {
    const block = { number: Number(header.number), hash, stateRoot: header.stateRoot }
    return this.#opened.fork.queries.proof(block, address, slots)
  }

  async setUrl(url: string): Promise<void> {
    const { hash } = this.block
    const next = await this.#parts.open([checkedUrl(url)], { kind: 'hash', hash })
    const { chainId } = next.fork.point
    if (chainId === this.chainId) return this.#adopt(next)
    next.client?.close()
    const message = `the remote serves chain ${chainId}, and this node continues chain ${this.chainId}: anvil_reset changes to it`
    throw new NodeError({ code: 'FORK_UNSUPPORTED' }, message)
  }

  async reset({ url, block }: ForkResetTarget): Promise<boolean> {
    const target = this.#targetOf(url, block)
    const urls = url === undefined ? this.#opened.urls : [checkedUrl(url)]
    const next = await this.#parts.open(urls, target)
    if (next.fork.point.chainId !== this.chainId) {
      next.client?.close()
      return false
    }
    try {
      const text = await this.#parts.genesisText(next.fork.point)
      await this.#dev?.reset((writer) => writer.continueAt(next.fork.point.block, text, () => this.#adopt(next)))
      return true
    } catch (error) {
      if (this.#opened !== next) next.client?.close()
      throw error
    }
  }

  #targetOf(url: string | undefined, block: string | undefined): ForkSettings['target'] {
    if (block !== undefined) return targetOf(block)
    return url === undefined ? { kind: 'hash', hash: this.block.hash } : { kind: 'tag', tag: 'latest' }
  }

  #adopt(next: OpenedRemote): void {
    const before = this.#opened.client
    this.#opened = next
    this.base.adopt(next.fork.state)
    if (this.#store !== undefined) next.fork.takeOver(this.#store)
    before?.close()
  }
}
