import type { EVMOpts } from '@ethereumjs/evm'
import { PausableEvm } from './pausableEvm.ts'

type CustomOpcode = Extract<NonNullable<EVMOpts['customOpcodes']>[number], { logicFunction: unknown }>

const JUMPDEST_GAS = 1

/** A JUMPDEST that pauses when the time slice is over, so that no loop can avoid pausing. */
export const pausingJumpdest: CustomOpcode = {
  opcode: 0x5b,
  opcodeName: 'JUMPDEST',
  baseFee: JUMPDEST_GAS,
  logicFunction: (runState) => {
    const evm = runState.interpreter._evm
    return evm instanceof PausableEvm && evm.control.expired() ? evm.control.pause() : undefined
  },
}
