/** Runs before each test file. */
import { loadNativeSecp256k1 } from '../../../adapters/server/crypto/nativeSecp256k1.ts'
import { installKeccak256 } from '../../../src/base/primitives/keccak.ts'
import { installSecp256k1 } from '../../../src/base/primitives/secp256k1.ts'
import { nativeKeccak } from '../evm/nativeModule.ts'
import { runTasksAtEnd } from '../rpc/endOfFile.ts'
import './sameBytes.ts'

runTasksAtEnd()
// The portable functions are many times slower, and many tests hash, sign and recover most of the time.
const { hash, hashInto } = await nativeKeccak
installKeccak256(hash, hashInto)
installSecp256k1(await loadNativeSecp256k1().catch(() => ({})))
