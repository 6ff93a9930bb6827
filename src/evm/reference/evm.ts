/**
 * The reference EVM: `@ethereumjs/evm` behind our contract. Complete and well tested, but asynchronous at every step.
 * @module
 */
import { NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import type { Clock } from '../../base/ports/host.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { Evm, Execution, ExecutionEnvironment, Message, StartOptions } from '../evm.ts'
import type { StateDB } from '../stateDb.ts'
import { ReferenceExecution } from './execution.ts'
import type { Curves } from './pausableEvm.ts'
import { prepareCommon } from './preparedCommon.ts'
import type { PreparedCommon } from './preparedTypes.ts'

/** @param clock measures time slices */
export function createReferenceEvm(clock: Clock): Evm {
  return new ReferenceEvm(clock)
}

class ReferenceEvm implements Evm {
  readonly name = 'reference'
  readonly #clock: Clock
  readonly #curves: Curves = { bn254: new NobleBN254(), bls: new NobleBLS() }
  readonly #prepared = new WeakMap<ForkRules, Map<string, PreparedCommon>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(message: Message, environment: ExecutionEnvironment, state: StateDB, options: StartOptions = {}): Execution {
    const prepared = this.#prepare(environment)
    return new ReferenceExecution({
      message,
      environment,
      state,
      options,
      prepared,
      curves: this.#curves,
      clock: this.#clock,
    })
  }

  #prepare({ rules, chainId, contractSizeLimit }: ExecutionEnvironment): PreparedCommon {
    let chains = this.#prepared.get(rules)
    if (chains === undefined) {
      chains = new Map()
      this.#prepared.set(rules, chains)
    }
    const key = contractSizeLimit === undefined ? `${chainId}` : `${chainId}/${contractSizeLimit}`
    let prepared = chains.get(key)
    if (prepared === undefined) {
      prepared = prepareCommon(rules, chainId, contractSizeLimit)
      chains.set(key, prepared)
    }
    return prepared
  }
}
