/** Runs before each test file. */
import { installKeccak256 } from '../../../src/base/primitives/keccak.ts'
import { nativeKeccak } from '../evm/nativeModule.ts'
import { runTasksAtEnd } from '../rpc/endOfFile.ts'

runTasksAtEnd()
// The portable one is many times slower, and many tests hash most of the time.
const { hash, hashInto } = await nativeKeccak
installKeccak256(hash, hashInto)
