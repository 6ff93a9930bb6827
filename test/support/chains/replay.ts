/** Executes blocks of chains in memory again. */

import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { Replay } from '../../../src/tracing/replay.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { testYield } from '../host/testYield.ts'
import { TEST_CLOCK, TEST_SENDERS } from './testChain.ts'

export interface OpenedReplay {
  readonly replay: Replay
  /** Number of messages that the EVM has started. */
  readonly messages: () => number
}

/** @param kv store of the chain */
export async function openReplay(chain: Chain, kv: KeyValueStore): Promise<OpenedReplay> {
  const { config } = chain
  const store = new StateStore(kv)
  const loaded = await loadTestEvm(TEST_CLOCK)
  let messages = 0
  const evm: Evm = {
    name: loaded.name,
    start: (...args) => {
      messages++
      return loaded.start(...args)
    },
  }
  const replay = new Replay({
    chain,
    config,
    evm,
    consensus: createSchedule(config),
    control: { scheduler: new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield }) },
    states: { mutable: ({ stateRoot }: ChainHeader) => store.mutable(requireState(stateRoot)) },
    senders: TEST_SENDERS,
  })
  return { replay, messages: () => messages }
}
