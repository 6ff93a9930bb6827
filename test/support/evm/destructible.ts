/** A contract that can be destroyed and created again at the same address, with rules before Cancun. */
import { getContractAddress, type Hex } from 'viem'
import { bytesToHex, concatBytes } from '../../../src/base/primitives/bytes.ts'
import { CREATE2_DEPLOYER } from '../../../src/config/predeploys.ts'
import { evmCode } from './evmCode.ts'

/** Destroys itself without input; otherwise stores the second word of the input in the slot of the first one. */
const RUNTIME = evmCode('CALLDATASIZE 6 JUMPI CALLER SELFDESTRUCT JUMPDEST 32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP')
const INIT = concatBytes(evmCode(`${RUNTIME.length} 12 0 CODECOPY ${RUNTIME.length} 0 RETURN`), RUNTIME)
const SALT = new Uint8Array(32)

export const DESTRUCTIBLE_CODE: string = bytesToHex(RUNTIME)

/** In lower case. */
export const DESTRUCTIBLE: string = getContractAddress({
  opcode: 'CREATE2',
  from: CREATE2_DEPLOYER.address as Hex,
  salt: bytesToHex(SALT) as Hex,
  bytecode: bytesToHex(INIT) as Hex,
}).toLowerCase()

/** The call that creates the contract. */
export const CREATION: { readonly to: string; readonly data: Uint8Array } = {
  to: CREATE2_DEPLOYER.address,
  data: concatBytes(SALT, INIT),
}
