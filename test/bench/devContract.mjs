/** A contract that, like an ERC-20 transfer, writes a log: it emits Transfer(caller, caller, 1) and returns true. */
import { keccak_256 } from '@noble/hashes/sha3.js'

const transferTopic = Buffer.from(keccak_256(Buffer.from('Transfer(address,address,uint256)'))).toString('hex')

const RUNTIME = [
  '6001600052', // PUSH1 1, PUSH1 0, MSTORE: the data
  '3333', // CALLER, CALLER: to and from
  `7f${transferTopic}`, // PUSH32
  '60206000a3', // PUSH1 32, PUSH1 0, LOG3
  '60206000f3', // PUSH1 32, PUSH1 0, RETURN
].join('')

/** PUSH1 size, DUP1, PUSH1 11, PUSH1 0, CODECOPY, PUSH1 0, RETURN. Avoids PUSH0, which not every target supports. */
export const INIT_CODE = Buffer.from(`60${(RUNTIME.length / 2).toString(16)}80600b6000396000f3${RUNTIME}`, 'hex')
