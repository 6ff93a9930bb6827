/**
 * The two ways to a shared node: a shared worker, or the worker of the tab that leads.
 * @module
 */
import { SHARED_NODE_WAIT_MS } from '../../../src/base/limits/limits.ts'
import { type Introduction, type LinkOutcome, openLink } from './link.ts'
import { holdLock } from './locks.ts'
import { leaderLock } from './names.ts'
import { portOf } from './port.ts'
import { type ConnectorParts, TabConnector } from './tabConnector.ts'
import { type SharedWorkerHandle, type WorkerHandle, workerUnavailable } from './workers.ts'

export class SharedWorkerConnector extends TabConnector {
  readonly #startWorker: () => SharedWorkerHandle

  constructor(parts: ConnectorParts, startWorker: () => SharedWorkerHandle) {
    super(parts)
    this.#startWorker = startWorker
  }

  protected override async attempt(introduction: Introduction): Promise<LinkOutcome> {
    const worker = this.#startWorker()
    const failed = new Promise<never>((_, reject) => {
      worker.onerror = () => reject(workerUnavailable())
    })
    const port = portOf(worker.port)
    const linking = openLink(port, introduction, this.parts.locks, this.left.signal)
    const outcome = await Promise.race([linking, failed])
    if (typeof outcome === 'object') return outcome
    port.close()
    return outcome === 'elsewhere' ? this.overChannel(introduction, SHARED_NODE_WAIT_MS) : outcome
  }
}

export class LeaderConnector extends TabConnector {
  readonly #leading: Promise<void>
  readonly #startWorker: () => WorkerHandle
  #fail: (error: unknown) => void = () => {}
  /** Ends the worker of this tab, and starts another one. */
  #restart: () => void = () => {}
  /** Workers that this tab has started. */
  #started = 0
  /** Their number when the tab was connected last. */
  #startedBefore: number | undefined

  constructor(parts: ConnectorParts, startWorker: () => WorkerHandle) {
    super(parts)
    this.#startWorker = startWorker
    this.#leading = this.#lead()
  }

  protected override async attempt(introduction: Introduction): Promise<LinkOutcome> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    // The worker to which this tab was connected has ended, though the tab that leads has not.
    if (this.#startedBefore === this.#started) this.#restart()
    const outcome = await Promise.race([this.overChannel(introduction, undefined), failed])
    this.#startedBefore = this.#started
    return outcome
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#leading
  }

  /** Waits until no other tab leads, then runs workers until this tab leaves. */
  async #lead(): Promise<void> {
    const { locks, node } = this.parts
    const { signal } = this.left
    const right = await holdLock(locks, leaderLock(node), { signal }).catch(() => undefined)
    if (right === undefined) return
    try {
      while (!signal.aborted) await this.#run(signal)
    } catch (error) {
      this.#fail(error)
    } finally {
      right.release()
    }
  }

  /** @throws {NodeError} SHARED_WORKER_FAILED */
  #run(signal: AbortSignal): Promise<void> {
    const worker = this.#startWorker()
    this.#started++
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        worker.postMessage({ isonode: 'end' })
        setTimeout(end, SHARED_NODE_WAIT_MS)
      }
      const end = (): void => {
        signal.removeEventListener('abort', leave)
        worker.terminate()
        resolve()
      }
      this.#restart = end
      worker.onmessage = end
      worker.onerror = () => {
        // An error of a worker that has served this tab does not end it.
        if (this.#startedBefore === this.#started) return
        worker.terminate()
        reject(workerUnavailable())
      }
      worker.postMessage({ isonode: 'lead', node: this.parts.node })
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
