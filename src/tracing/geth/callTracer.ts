import { quantity } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import { type CallFrame, CallTree, type FrameLog } from './callTree.ts'
import { flagsOf } from './config.ts'
import type { DeferredTracer, ResultWriter } from './deferredTracer.ts'

/**
 * The tree of calls.
 * @param config `onlyTopCall`: only the root; `withLog`: includes the logs that were not reverted
 * @see go-ethereum documentation, "Built-in tracers": callTracer
 */
export function callTracer(config: unknown): () => DeferredTracer {
  const options = flagsOf(config, ['onlyTopCall', 'withLog'])
  return () => {
    const tree = new CallTree(options)
    return {
      hooks: tree.hooks,
      begin: (context) => tree.begin(context),
      result: (outcome): ResultWriter => {
        const root = tree.root(outcome)
        return (out) => writeFrame(out, root, false)
      },
    }
  }
}

/** @param isUndone whether a caller failed, which discards the logs of this frame */
function writeFrame(out: JsonWriter, frame: CallFrame, isUndone: boolean): void {
  const { error, logs, calls } = frame
  const hasNoLogs = isUndone || error !== undefined
  out.ascii(`{"from":"${frame.from}","gas":"${quantity(frame.gas)}","gasUsed":"${quantity(frame.gasUsed)}"`)
  if (frame.to !== undefined) out.ascii(`,"to":"${frame.to}"`)
  writeBytes(out, 'input', frame.input)
  if (frame.output.length > 0) writeBytes(out, 'output', frame.output)
  if (error !== undefined) out.ascii(`,"error":"${error}"`)
  if (frame.revertReason) {
    out.ascii(',"revertReason":')
    out.value(frame.revertReason)
  }
  if (calls !== undefined) writeList(out, 'calls', calls, (call) => writeFrame(out, call, hasNoLogs))
  if (logs !== undefined && !hasNoLogs) writeList(out, 'logs', logs, (log) => writeLog(out, log))
  if (frame.value !== undefined) out.ascii(`,"value":"${quantity(frame.value)}"`)
  out.ascii(`,"type":"${frame.type}"}`)
}

function writeLog(out: JsonWriter, { log, index, position }: FrameLog): void {
  out.ascii('{"address":"0x')
  out.hex(log.address)
  out.ascii('","topics":[')
  for (let i = 0; i < log.topics.length; i++) {
    out.ascii(i === 0 ? '"0x' : ',"0x')
    out.hex(log.topics[i] as Uint8Array)
    out.ascii('"')
  }
  out.ascii(']')
  writeBytes(out, 'data', log.data)
  out.ascii(`,"index":"${quantity(index)}","position":"${quantity(position)}"}`)
}

function writeBytes(out: JsonWriter, name: string, bytes: Uint8Array): void {
  out.ascii(`,"${name}":"0x`)
  out.hex(bytes)
  out.ascii('"')
}

function writeList<T>(out: JsonWriter, name: string, items: readonly T[], write: (item: T) => void): void {
  out.ascii(`,"${name}":[`)
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out.ascii(',')
    write(items[i] as T)
  }
  out.ascii(']')
}
