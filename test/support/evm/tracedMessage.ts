/** One message with a tracer. */

import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import { runMessage } from '../../../src/evm/driver.ts'
import type { Evm, Message } from '../../../src/evm/evm.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import type { Tracer, TracerFactory } from '../../../src/tracing/contract.ts'
import { environmentOf, messageTo, testClock } from './evm.ts'
import { loadTestEvm } from './testEvm.ts'

class TextSink implements ByteSink {
  readonly isFull = false
  readonly #decoder = new TextDecoder()
  text = ''

  write(chunk: Uint8Array<ArrayBuffer>): void {
    this.text += this.#decoder.decode(chunk, { stream: true })
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }
}

export interface MessageToTrace extends Partial<Omit<Message, 'to'>> {
  /** undefined: a creation */
  readonly to: Uint8Array | undefined
  readonly fork?: ForkName
}

/** Runs a message once for each tracer on the same state. @returns the output of each tracer */
export async function traceMessage(
  state: MutableState,
  { fork = 'prague', to, ...message }: MessageToTrace,
  ...factories: readonly TracerFactory[]
): Promise<string[]> {
  const evm = await loadTestEvm(testClock)
  const texts: string[] = []
  for (const factory of factories) {
    const sink = new TextSink()
    const out = new JsonWriter(sink)
    await run(evm, state.fork(), messageTo(to, message), fork, factory(out))
    out.flush()
    texts.push(sink.text)
  }
  return texts
}

async function run(evm: Evm, state: MutableState, message: Message, fork: ForkName, tracer: Tracer): Promise<void> {
  const environment = environmentOf(fork)
  const transaction = {
    hash: undefined,
    from: message.caller,
    to: message.to,
    value: message.value,
    input: message.data,
    gasLimit: message.gas,
    gasPrice: 0n,
    intrinsicGas: 0n,
  }
  const rules = forkRules(fork)
  tracer.begin({ transaction, rules, block: environment.block, before: state.fork(), now: state })
  state.beginTransaction()
  const result = await runMessage(evm, message, environment, state, { hooks: tracer.hooks })
  const gasUsed = message.gas - result.gasLeft
  tracer.end({ result, gasUsed, gasUsedBeforeRefund: gasUsed, changed: [] })
}
