/** Messages that need no module: transfers and calls of precompiles. */
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { Log } from '../../types/receipt.ts'
import type { MessageResult } from '../evm.ts'
import type { HaltReason } from '../haltReason.ts'
import { transfer } from '../transfer.ts'
import { transferLog } from '../transferLogs.ts'
import { touchAndRevert } from './accounts.ts'
import type { MessageRequest } from './messageExecution.ts'
import type { PrecompileCalls } from './precompileCall.ts'
import type { DirectTarget } from './topFrame.ts'

const NO_LOGS: readonly Log[] = []
const NO_ADDRESSES: readonly Uint8Array[] = []

/** @throws {ModuleNotLoaded, PrecompilePaused} without side effects */
export function directMessage(request: MessageRequest, target: DirectTarget, calls: PrecompileCalls): MessageResult {
  switch (target.kind) {
    case 'halt':
      return haltMessage(request, target.halt)
    case 'transfer':
      return succeed(request, target.to, EMPTY_BYTES, request.message.gas)
    default:
      return precompileMessage(request, target, calls)
  }
}

function precompileMessage(
  request: MessageRequest,
  { to, precompile }: Extract<DirectTarget, { readonly kind: 'precompile' }>,
  calls: PrecompileCalls,
): MessageResult {
  const { data, gas } = request.message
  const outcome = calls.run(precompile, data, gas)
  if (!('halt' in outcome)) return succeed(request, to, outcome.output, outcome.gasLeft)
  if (request.message.value === 0n) touchAndRevert(request.state, to)
  return haltMessage(request, outcome.halt)
}

/** A message that fails before it does anything. */
function haltMessage(request: MessageRequest, halt: HaltReason): MessageResult {
  return { ...successOf(request, 0n, EMPTY_BYTES, NO_LOGS), outcome: 'halt', halt }
}

function succeed(request: MessageRequest, to: Uint8Array, output: Uint8Array, gasLeft: bigint): MessageResult {
  const { message, state, environment, options } = request
  const { caller, value } = message
  transfer({ caller, to, value }, state, environment.rules.eips.has(161))
  const isLogged = options.transferLogs === true && value > 0n
  return successOf(request, gasLeft, output, isLogged ? [transferLog(caller, to, value)] : NO_LOGS)
}

function successOf(
  { options, environment }: MessageRequest,
  gasLeft: bigint,
  output: Uint8Array,
  logs: readonly Log[],
): MessageResult {
  return {
    outcome: 'success',
    gasLeft,
    gasRefund: 0n,
    output,
    createdAddress: undefined,
    logs,
    selfDestructs: NO_ADDRESSES,
    accessed: options.collectAccessed === true ? environment.transaction.accessList : undefined,
    maxDepth: 0,
    storageWritten: false,
    watchedCalls: undefined,
  }
}
