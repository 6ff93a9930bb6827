/**
 * Components that execute blocks and calls.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import type { ScriptEngine } from '../base/ports/scriptSandbox.ts'
import type { WasmModule } from '../base/ports/webTypes.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Evm } from '../evm/evm.ts'
import { LazyEvm } from '../evm/lazyEvm.ts'
import { loadNativeEvm } from '../evm/loadNativeEvm.ts'
import type { LoadEvm } from '../evm/loadReferenceEvm.ts'
import { ExecutionScheduler } from '../evm/scheduler.ts'
import { seedByteTables } from '../state/byteTable.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

export interface ExecutionHost {
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  readonly random: Random
  /** The native EVM's module; undefined: it is compiled on first use. */
  readonly evmModule?: WasmModule
  /** undefined on a host without the reference EVM. */
  readonly loadReferenceEvm?: LoadEvm | undefined
  /** Runs tracers written in JavaScript; undefined: they are refused. */
  readonly scripts?: ScriptEngine
}

export interface NodeExecution {
  /** The EVM selected by --evm, loaded on first use. */
  readonly evm: LazyEvm
  readonly scheduler: ExecutionScheduler
}

export function createExecution(
  { clock, yieldToHost, random, evmModule, loadReferenceEvm }: ExecutionHost,
  { evm, memory }: Pick<NodeSettings, 'evm' | 'memory'>,
): NodeExecution {
  seedByteTables(random)
  const load = () =>
    evm === 'native'
      ? loadNativeEvm(clock, random, evmModule, memory.executions)
      : referenceEvm({ clock, loadReferenceEvm })
  const hasLastResort = evm === 'native' && loadReferenceEvm !== undefined
  const lastResort = hasLastResort ? new LazyEvm('reference', () => loadReferenceEvm(clock)) : undefined
  return {
    evm: new LazyEvm(evm, load, lastResort),
    scheduler: new ExecutionScheduler({ clock, yieldToHost }),
  }
}

/** @throws {NodeError} MISSING_PACKAGE, UNSUPPORTED_RUNTIME */
export async function referenceEvm({
  clock,
  loadReferenceEvm,
}: Pick<ExecutionHost, 'clock' | 'loadReferenceEvm'>): Promise<Evm> {
  if (loadReferenceEvm !== undefined) return loadReferenceEvm(clock)
  throw new NodeError({ code: 'UNSUPPORTED_RUNTIME' }, 'this host has no reference EVM')
}
