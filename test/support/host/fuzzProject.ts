import { StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import { forkRules } from '../../../src/config/forks.ts'
import { loadNativeEvm } from '../../../src/evm/loadNativeEvm.ts'
import { activePrecompiles } from '../../../src/evm/precompiles/addresses.ts'
import { createReferenceEvm } from '../../../src/evm/reference/evm.ts'
import { ReferenceExecution } from '../../../src/evm/reference/execution.ts'
import { prepareCommon } from '../../../src/evm/reference/preparedCommon.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { createAddress } from '../../../src/types/address.ts'

/** The project's functions that the fuzzer (test/fuzz) uses; when run as a program, it uses the built modules. */
export const fuzzProject = {
  forkRules,
  createAddress,
  activePrecompiles,
  StateStore,
  MemoryStore,
  StoreMiss,
  emptyRoot: EMPTY_TRIE_ROOT,
  loadNativeEvm,
  createReferenceEvm,
  prepareCommon,
  ReferenceExecution,
}
