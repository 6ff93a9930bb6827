import type { EVMOpts } from '@ethereumjs/evm'
import { PausableEvm } from './pausableEvm.ts'

type CustomOpcode = Extract<NonNullable<EVMOpts['customOpcodes']>[number], { logicFunction: unknown }>

const JUMPDEST_GAS = 1

/** JUMPDEST that waits when the time slice is over: no loop gets past it. */
export const pausingJumpdest: CustomOpcode = {
  opcode: 0x5b,
  opcodeName: 'JUMPDEST',
  baseFee: JUMPDEST_GAS,
  logicFunction: (runState) => {
    const evm = runState.interpreter._evm
    return evm instanceof PausableEvm && evm.control.expired() ? evm.control.pause() : undefined
  },
}
