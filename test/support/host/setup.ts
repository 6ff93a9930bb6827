/** Runs before each test file. */
import { keccakInstalled } from '../evm/fastKeccak.ts'
import { runTasksAtEnd } from '../rpc/endOfFile.ts'

runTasksAtEnd()
// The portable one is many times slower, and hashing is a large part of the time of most tests.
await keccakInstalled
