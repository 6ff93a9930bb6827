/** isonode's block execution in a process of its own: senders, transactions, receipts and roots, on a state in memory. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { ChildReply, ChildRequest } from '../isonodeChild.ts'
import type { Measured, Selection, Target } from '../target.ts'

export class IsonodeTarget implements Target {
  readonly name = 'isonode'
  readonly #engine: string
  readonly #selection: Selection
  readonly #isRepeated: boolean
  #child: ChildProcess | undefined
  /** The first execution of each block is not measured: V8 has not compiled it, and a node executes many. */
  #isWarm = false

  constructor(engine: string, selection: Selection, isRepeated: boolean) {
    this.#engine = engine
    this.#selection = selection
    this.#isRepeated = isRepeated
  }

  async start(): Promise<undefined> {
    const program = path.join(import.meta.dirname, 'isonodeChild.mjs')
    this.#child = fork(program, [this.#engine, JSON.stringify(this.#selection)], { serialization: 'advanced' })
  }

  async open(): Promise<undefined> {
    this.#isWarm = false
    await this.#ask('open')
  }

  async measure(): Promise<Measured> {
    if (!this.#isRepeated) return this.#ask('check')
    if (!this.#isWarm) await this.#ask('measure')
    this.#isWarm = true
    return this.#ask('measure')
  }

  async stop(): Promise<void> {
    this.#child?.disconnect()
  }

  async #ask(request: ChildRequest): Promise<Measured> {
    const child = this.#child as ChildProcess
    child.send(request)
    const [reply] = (await once(child, 'message')) as [ChildReply]
    if (reply.error !== undefined) throw new Error(reply.error)
    return reply.measured ?? { result: {}, cpuMs: 0 }
  }
}
