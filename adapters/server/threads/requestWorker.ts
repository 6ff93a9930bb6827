/**
 * Worker thread of the request pool: a reader over the database of the node that started it.
 * @module
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { REQUEST_WORKER_CREDIT_BYTES } from '../../../src/base/limits/limits.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { createReader, type ReaderRun, type RequestReader } from '../../../src/node/readOnly/traceWorkerReader.ts'
import { systemClock, systemRandom, yieldToHost } from '../../shared/systemPorts.ts'
import { installNodeCrypto } from '../crypto/crypto.ts'
import { openReader } from '../data/dataDirectory.ts'
import type { LmdbStore } from '../data/lmdbStore.ts'
import { scriptEngine } from '../scriptEngine.ts'
import { type FromWorker, packError, type ReaderData, type ToWorker, unpackConfig } from './requestWire.ts'
import type { Ready } from './workerThread.ts'

const port = parentPort
if (port === null) throw new Error('requestWorker must run in a worker thread')

function send(message: FromWorker | Ready, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

/** Sends an answer in pieces; it is full while too many bytes are waiting for the reader. */
class AnswerSink implements ByteSink {
  readonly #id: number
  #pending = 0
  #waiting: (() => void)[] = []

  constructor(id: number) {
    this.#id = id
  }

  get isFull(): boolean {
    return this.#pending > REQUEST_WORKER_CREDIT_BYTES
  }

  drained(): Promise<void> {
    return this.isFull ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    this.#pending += bytes.length
    send({ kind: 'chunk', id: this.#id, bytes }, [bytes.buffer])
  }

  taken(bytes: number): void {
    this.#pending -= bytes
    if (!this.isFull) for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

interface Task {
  readonly sink: AnswerSink
  readonly run: ReaderRun
}

const tasks = new Map<number, Task>()

void start(port)

async function start(port: MessagePort): Promise<void> {
  const { directory, durability, config, settings } = workerData as ReaderData
  const { nativeModule } = await installNodeCrypto()
  const store = openReader(directory, durability)
  const host = {
    store,
    senders: new InlineRecovery({ clock: systemClock, yieldToHost }),
    clock: systemClock,
    random: systemRandom,
    yieldToHost,
    scripts: { ...scriptEngine, isOnOwnThread: true },
    ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
    loadReferenceEvm,
  }
  const reader = createReader(host, unpackConfig(config), settings)
  port.on('message', (message: ToWorker) => receive(message, reader, store))
  send({ kind: 'ready' })
}

function receive(message: ToWorker, reader: RequestReader, store: LmdbStore): void {
  if (message.kind === 'run') {
    store.renewSnapshot()
    begin(message, reader)
  } else if (message.kind === 'close') void close(store)
  else {
    const task = tasks.get(message.id)
    if (task === undefined) return
    if (message.kind === 'taken') task.sink.taken(message.bytes)
    else abort(task)
  }
}

function begin({ id, method, params }: Extract<ToWorker, { kind: 'run' }>, reader: RequestReader): void {
  const sink = new AnswerSink(id)
  const run = reader.run({ method, params }, sink)
  tasks.set(id, { sink, run })
  const ended = (message: FromWorker): void => {
    tasks.delete(id)
    send(message)
  }
  run.done.then(
    () => ended({ kind: 'done', id }),
    (error) => ended({ kind: 'failed', id, error: packError(error) }),
  )
}

/** Resumes a task that waits for its reader, so that it notices the abort. */
function abort({ run, sink }: Task): void {
  run.abort(new DOMException('the answer is no longer awaited', 'AbortError'))
  sink.taken(Number.POSITIVE_INFINITY)
}

async function close(store: LmdbStore): Promise<void> {
  const running = [...tasks.values()]
  for (const task of running) abort(task)
  await Promise.allSettled(running.map(({ run }) => run.done))
  await store.close()
  send({ kind: 'closed' })
}
