/**
 * The stored block that a tracing request is about, read from its first parameter.
 * @module
 */
import { findHeader } from '../../../api/lookup.ts'
import type { RpcProfile } from '../../../api/profile.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { keyToText } from '../../../storage/keyText.ts'
import { isScript } from '../../../tracing/js/scriptSelection.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { hash32 } from '../../codecs/scalars.ts'
import type { SubjectOf } from '../../method.ts'

/** Cost of gas in a trace of opcodes, relative to a trace of calls. */
const OPCODE_TRACE_COST = 20n

type Find = (chain: ChainReader, value: unknown, profile: RpcProfile) => ChainHeader | undefined

const byTransaction: Find = (chain, value, profile) => {
  const location = chain.transactionLocation(hash32.parse(value, profile))
  return location && chain.headerByHash(location.blockHash)
}
const byHash: Find = (chain, value, profile) => chain.headerByHash(hash32.parse(value, profile))
const byNumber: Find = (chain, value, profile) => findHeader(chain, blockNumberOrTag.parse(value, profile))

function subjectFinder(find: Find, tracesOpcodes: (option: unknown) => boolean): SubjectOf {
  return ({ chain }, [first, option], profile) => {
    // The work of a tracer in JavaScript is unknown, so a worker thread does it.
    if (isScript(tracerNameOf(option))) return undefined
    try {
      const header = find(chain, first, profile)
      const parent = header && chain.parentOf(header)
      if (header === undefined || parent === undefined) return undefined
      const work = header.header.gasUsed * (tracesOpcodes(option) ? OPCODE_TRACE_COST : 1n)
      return { key: keyToText(header.hash) + keyToText(parent.stateRoot.hash), work }
    } catch (error) {
      if (isNodeError(error)) return undefined
      throw error
    }
  }
}

function tracerNameOf(options: unknown): string | undefined {
  const tracer = (options as { tracer?: unknown } | null | undefined)?.tracer
  return typeof tracer === 'string' ? tracer : undefined
}

/** debug_trace*: without a named tracer the trace is one of opcodes. */
const tracesOpcodes = (options: unknown): boolean => (options as { tracer?: unknown } | null)?.tracer === undefined
/** trace_replay* */
const tracesVm = (types: unknown): boolean =>
  !Array.isArray(types) || types.some((type) => type !== 'trace' && type !== 'stateDiff')
const never = (): boolean => false

const always = (): boolean => true

/** debug_traceSteps, debug_findStep: a target that is not a hash is a call, which has no stored block. */
export const steppedTarget: SubjectOf = subjectFinder(byTransaction, always)
export const debugTracedTransaction: SubjectOf = subjectFinder(byTransaction, tracesOpcodes)
export const debugTracedHash: SubjectOf = subjectFinder(byHash, tracesOpcodes)
export const debugTracedNumber: SubjectOf = subjectFinder(byNumber, tracesOpcodes)
export const replayedTransaction: SubjectOf = subjectFinder(byTransaction, tracesVm)
export const replayedNumber: SubjectOf = subjectFinder(byNumber, tracesVm)
export const flatTracedTransaction: SubjectOf = subjectFinder(byTransaction, never)
export const flatTracedNumber: SubjectOf = subjectFinder(byNumber, never)
