import type { TracerFactory } from '../contract.ts'
import { BesuStructLog } from './besuStructLog.ts'
import { GethStructLog } from './gethStructLog.ts'
import type { StructLogOptions, StructLogProfile } from './options.ts'

/**
 * The opcode tracer, the default of debug_traceTransaction and its relatives. Writes
 * `{structLogs: [...], gas, failed, returnValue}` while the transaction runs: the entries come first, since what else there
 * is to say is known at the end only. The order of members is of no meaning in JSON.
 * @param options what clients may leave out; members that the profile does not know are not looked at
 */
export function structLogTracer(options: StructLogOptions, profile: StructLogProfile): TracerFactory {
  return (out) => (profile === 'besu' ? new BesuStructLog(out, options) : new GethStructLog(out, options))
}
