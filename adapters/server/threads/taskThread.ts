import type { ClosedThread, PoolThread, PoolThreadEvents } from './threadPool.ts'
import { WorkerThread, type WorkerThreadOptions } from './workerThread.ts'

/** A task that is one message to a thread, and one answer. */
export interface MessageTask<Message, Answer> {
  /** @throws errors of the task, which then fails */
  message(): Message
  /** Buffers of the message whose ownership passes to the thread. */
  transferOf?(message: Message): readonly ArrayBuffer[]
  done(answer: Answer): void
  failed(error: unknown): void
  /** The thread died; without this, the task begins again elsewhere. */
  lost?(error: unknown): void
}

/** A thread that answers every message, in the order in which they were sent. */
export class TaskThread<Message, Answer, Task extends MessageTask<Message, Answer> = MessageTask<Message, Answer>>
  implements PoolThread<Task>
{
  readonly #thread: WorkerThread<Message, Answer>
  readonly #events: PoolThreadEvents<Task>
  #tasks: Task[] = []

  /** @throws {Error} when no thread can be started */
  constructor(workerUrl: URL, events: PoolThreadEvents<Task>, options: WorkerThreadOptions = {}) {
    this.#events = events
    this.#thread = new WorkerThread(
      workerUrl,
      {
        ready: () => {
          events.ready()
          this.#restIfIdle()
        },
        answer: (answer: Answer) => this.#onAnswer(answer),
        idle: () => events.idle(),
        ended: (error) => this.#onEnd(error),
      },
      options,
    )
  }

  get isReady(): boolean {
    return this.#thread.isReady
  }

  get load(): number {
    return this.#tasks.length
  }

  begin(task: Task): void {
    let message: Message
    try {
      message = task.message()
    } catch (error) {
      task.failed(error)
      return
    }
    this.#tasks.push(task)
    this.#thread.send(message, task.transferOf?.(message))
  }

  close(): ClosedThread<Task> {
    const unfinished = this.#tasks
    this.#tasks = []
    return { unfinished, ended: this.#thread.terminate() }
  }

  #onAnswer(answer: Answer): void {
    // A thread that is being terminated may still answer, but its tasks are back in the queue.
    const task = this.#tasks.shift()
    if (task === undefined) return
    task.done(answer)
    this.#events.free()
    this.#restIfIdle()
  }

  #restIfIdle(): void {
    if (this.#tasks.length === 0) this.#thread.rest()
  }

  #onEnd(error: unknown): void {
    const tasks = this.#tasks
    this.#tasks = []
    for (const task of tasks) task.lost?.(error)
    this.#events.died(
      error,
      tasks.filter(({ lost }) => lost === undefined),
    )
  }
}
