import { data, word } from '../../codecs/scalars.ts'
import { type MethodDefinition, param } from '../../method.ts'
import { DEV_ACCOUNT } from '../support/parameterTexts.ts'
import { account, number64, number256, storageSlot } from './codecs.ts'
import { type DevBackend, operation } from './operation.ts'

export const stateChanges: readonly MethodDefinition<DevBackend>[] = [
  ...operation({
    answersNull: ['anvil_setBalance'],
    answersTrue: ['hardhat_setBalance', 'ganache_setBalance', 'evm_setAccountBalance'],
    summary: 'Sets the balance of an account, wei.',
    params: [param('address', account, DEV_ACCOUNT), param('balance', number256, 'New balance in wei.')],
    run: ({ state }, [target, balance]) => state.setBalance(target, balance),
  }),
  ...operation({
    answersNull: ['anvil_addBalance', 'hardhat_addBalance'],
    summary: 'Adds to the balance of an account, wei; the sum is at most 2^256 - 1.',
    params: [param('address', account, DEV_ACCOUNT), param('amount', number256, 'Wei that are added.')],
    run: ({ state }, [target, amount]) => state.addBalance(target, amount),
  }),
  ...operation({
    answersNull: ['anvil_setCode'],
    answersTrue: ['hardhat_setCode', 'ganache_setCode', 'evm_setAccountCode'],
    summary: 'Sets the code of an account.',
    params: [
      param('address', account, DEV_ACCOUNT),
      param('code', data, 'New code, which runs as it is: no constructor is called. `0x` removes the code.'),
    ],
    run: ({ state }, [target, code]) => state.setCode(target, code),
  }),
  ...operation({
    answersNull: ['anvil_setNonce'],
    answersTrue: ['hardhat_setNonce', 'ganache_setNonce', 'evm_setAccountNonce'],
    summary: 'Sets the nonce of an account; it may decrease, as in anvil (hardhat refuses that).',
    params: [param('address', account, DEV_ACCOUNT), param('nonce', number64, 'New nonce, at most 64 bits.')],
    run: ({ state }, [target, nonce]) => state.setNonce(target, nonce),
  }),
  ...operation({
    answersTrue: ['hardhat_setStorageAt', 'anvil_setStorageAt', 'ganache_setStorageAt', 'evm_setAccountStorageAt'],
    summary: 'Sets one storage slot of an account; a shorter value is padded on the left.',
    params: [
      param('address', account, DEV_ACCOUNT),
      param('slot', storageSlot, 'Position in storage: 32 bytes, a quantity or a number.'),
      param('value', word, 'New value, up to 32 bytes.'),
    ],
    run: ({ state }, [target, slot, value]) => state.setStorage(target, slot, value),
  }),
]
