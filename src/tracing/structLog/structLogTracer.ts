import type { TracerFactory } from '../contract.ts'
import { BesuStructLog } from './besuStructLog.ts'
import { GethStructLog } from './gethStructLog.ts'
import type { StructLogOptions, TracerSettings } from './options.ts'

/**
 * The opcode tracer, the default of debug_traceTransaction and its relatives. Writes `{structLogs: [...], gas, failed,
 * returnValue}` while the transaction runs: the entries come first, because the other members are known only at the
 * end. The order of members has no meaning in JSON.
 * @param options as sent by clients; members that do not apply to the profile are ignored
 */
export function structLogTracer(options: StructLogOptions, { profile, markerTarget }: TracerSettings): TracerFactory {
  return (out) => (profile === 'besu' ? new BesuStructLog(out, options, markerTarget) : new GethStructLog(out, options))
}
