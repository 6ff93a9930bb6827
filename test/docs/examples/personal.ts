/** Examples of keys and accounts that are added at run time. */
import type { Call } from '../reference/exampleChain.ts'
import { type Examples, given, NONE } from './example.ts'

const HELLO = '0x68656c6c6f'
const KEY = `0x${'42'.repeat(32)}`
const UNUSED = '0x00000000000000000000000000000000000000aa'

async function importKey(call: Call): Promise<unknown> {
  return (await call('personal_importRawKey', KEY, 'secret')).result
}

export const personal: Examples = {
  evm_addAccount: given([UNUSED, 'secret']),
  evm_removeAccount: {
    before: async (call) => {
      await call('evm_addAccount', UNUSED, 'secret')
      return [UNUSED, 'secret']
    },
    note: 'After `evm_addAccount`.',
  },
  personal_ecRecover: {
    before: async (call, { alice }) => [HELLO, (await call('personal_sign', HELLO, alice)).result],
    note: 'After `personal_sign`.',
  },
  personal_importRawKey: given([KEY, 'secret']),
  personal_listAccounts: NONE,
  personal_lockAccount: given(({ alice }) => [alice]),
  personal_newAccount: given(['secret']),
  personal_sendTransaction: given(({ alice, bob }) => [{ from: alice, to: bob, value: '0x1' }, '']),
  personal_sign: given(({ alice }) => [HELLO, alice]),
  personal_unlockAccount: {
    before: async (call) => [await importKey(call), 'secret', 600],
    note: 'After `personal_importRawKey`.',
  },
}
