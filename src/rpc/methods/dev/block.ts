import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { MIN_GAS_LIMIT } from '../../../chain/validation/headerRules.ts'
import { hash32 } from '../../codecs/scalars.ts'
import { type MethodDefinition, param } from '../../method.ts'
import { account, number64, number256 } from './codecs.ts'
import { type DevBackend, operation } from './operation.ts'

export const blockSettings: readonly MethodDefinition<DevBackend>[] = [
  ...operation({
    answersNull: ['anvil_setCoinbase'],
    answersTrue: ['hardhat_setCoinbase', 'ganache_setCoinbase'],
    summary: 'Sets the beneficiary of the next and all later blocks.',
    params: [param('address', account, 'The beneficiary, 20 bytes.')],
    run: ({ block }, [coinbase]) => block.setCoinbase(coinbase),
  }),
  ...operation({
    answersNull: ['anvil_setNextBlockBaseFeePerGas'],
    answersTrue: ['hardhat_setNextBlockBaseFeePerGas', 'ganache_setNextBlockBaseFeePerGas'],
    summary: 'Sets the base fee of the next block, wei; later base fees are derived from it.',
    params: [param('baseFeePerGas', number256, 'Base fee in wei.')],
    run: ({ block }, [baseFee]) => block.setBaseFee(baseFee),
  }),
  ...operation({
    answersNull: ['anvil_setPrevRandao', 'anvil_setNextBlockPrevRandao'],
    answersTrue: ['hardhat_setPrevRandao'],
    summary: 'Sets the prevRandao value of the next block, 32 bytes.',
    params: [param('prevRandao', hash32, '32 bytes.')],
    run: ({ block }, [prevRandao]) => block.setPrevRandao(prevRandao),
  }),
  ...operation({
    answersTrue: ['evm_setBlockGasLimit', 'anvil_setBlockGasLimit'],
    summary: 'Sets the gas limit of the next and all later blocks.',
    params: [param('gasLimit', number64, 'Gas limit, at least 5,000.')],
    run: ({ block }, [gasLimit]) => {
      if (gasLimit < MIN_GAS_LIMIT) throw unexpectedValue(`at least ${MIN_GAS_LIMIT}`, String(gasLimit), 'gasLimit')
      block.setGasLimit(gasLimit)
    },
  }),
  ...operation({
    answersNull: ['anvil_setChainId'],
    summary: 'Sets the chain id of calls, of the transactions that are accepted, and of all further blocks.',
    params: [param('chainId', number64, 'Chain id, at most 64 bits.')],
    run: ({ execution }, [chainId]) => execution.setChainId(chainId),
  }),
  ...operation({
    answersNull: ['anvil_setMinGasPrice'],
    answersTrue: ['hardhat_setMinGasPrice', 'ganache_setMinGasPrice'],
    summary: 'Refused, as by anvil and hardhat: with a base fee (EIP-1559) there is no minimum price.',
    params: [param('gasPrice', number256, 'Price in wei; never accepted.')],
    run: () => {
      throw invalidParams('setMinGasPrice is not supported when EIP-1559 is active')
    },
  }),
]
