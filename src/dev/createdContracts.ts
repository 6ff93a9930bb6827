/**
 * Contracts that their creation code puts into the genesis of a dev chain: the code, the storage, and the contracts that
 * it creates are those of a deployment.
 * @module
 */
import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import type { WasmModule } from '../base/ports/webTypes.ts'
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { GenesisContract } from '../config/devContracts.ts'
import type { Genesis } from '../config/genesisFile.ts'
import type { SuppliedCode } from '../config/predeploys.ts'
import { runMessage } from '../evm/driver.ts'
import type { Evm, ExecutionEnvironment } from '../evm/evm.ts'
import { loadNativeEvm } from '../evm/loadNativeEvm.ts'
import { EMPTY_STATE_ROOT } from '../state/emptyRoot.ts'
import { StateStore } from '../state/stateStore.ts'
import type { WorldState } from '../state/worldState.ts'
import { MemoryStore } from '../storage/memoryStore.ts'
import { StagedStore } from '../storage/stagedStore.ts'

export interface CreationPorts {
  readonly random: Random
  /** The native EVM's module; undefined: it is compiled. */
  readonly evmModule?: WasmModule | undefined
}

/** A creation runs without interruption, so nothing measures its time. */
const STILL: Clock = { now: () => 0, monotonic: () => 0 }
const CREATION_GAS = 30_000_000n
/** The constructors write a few slots. */
const MAX_SLOTS = 1000

/**
 * @param genesis of the chain without these contracts; its rules and its chain id apply
 * @throws {NodeError} INVALID_OPTION when a constructor fails under the rules of the chain
 */
export async function createdContracts(
  supplied: readonly SuppliedCode[],
  genesis: Genesis,
  ports: CreationPorts,
): Promise<GenesisContract[]> {
  const deployed = supplied.filter(({ isDeployed }) => isDeployed)
  const created = supplied.filter(({ isDeployed }) => !isDeployed)
  const contracts: GenesisContract[] = deployed.map(({ contract: { address }, code }) => ({
    address,
    code: bytesToHex(code),
  }))
  if (created.length === 0) return contracts
  const evm = await loadNativeEvm(STILL, ports.random, ports.evmModule)
  const store = new StagedStore(new MemoryStore())
  const states = new StateStore(store)
  const state = states.mutable(EMPTY_STATE_ROOT)
  for (const each of created) await create(each, state, evm, genesis)
  const addresses = state.knownAccounts()
  const reader = states.reader(state.persist({ version: 0, stage: store }))
  for (const address of addresses) {
    const code = reader.getCode(address)
    if (code.length === 0) continue
    const slots = reader.storage(address, new Uint8Array(32), MAX_SLOTS)
    contracts.push({
      address: bytesToHex(address),
      code: bytesToHex(code),
      nonce: Number(reader.getAccount(address)?.nonce),
      storage: Object.fromEntries(slots.map(({ slot, value }) => [bytesToHex(slot as Uint8Array), bytesToHex(value)])),
    })
  }
  return contracts
}

async function create(
  { contract: { name, address, creator }, code }: SuppliedCode,
  state: WorldState,
  evm: Evm,
  genesis: Genesis,
): Promise<void> {
  const caller = hexToBytes(creator)
  const message = { caller, to: undefined, value: 0n, data: code, gas: CREATION_GAS, contract: hexToBytes(address) }
  state.beginTransaction()
  const { outcome, halt, selfDestructs } = await runMessage(evm, message, environmentOf(genesis, caller), state)
  state.endTransaction({ selfDestructs, clearEmpty: true })
  if (outcome === 'success') return
  const reason = `its creation fails under the rules of the chain (${halt ?? outcome})`
  throw new NodeError({ code: 'INVALID_OPTION' }, `--predeploys: ${name} is not possible: ${reason}`)
}

function environmentOf({ config, fields }: Genesis, origin: Uint8Array): ExecutionEnvironment {
  const { timestamp, difficulty, gasLimit, beneficiary, mixHash, baseFeePerGas, excessBlobGas } = fields
  return {
    chainId: config.chainId,
    rules: rulesOf(config, fields),
    block: {
      number: 0n,
      timestamp,
      beneficiary,
      gasLimit,
      difficulty,
      prevRandao: mixHash,
      baseFeePerGas,
      excessBlobGas,
      blockHash: () => undefined,
    },
    transaction: { origin, gasPrice: 0n, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
    contractSizeLimit: config.options.contractSizeLimit,
  }
}

function rulesOf(config: ChainConfig, { timestamp, difficulty }: Genesis['fields']): ExecutionEnvironment['rules'] {
  return config.rulesAt({ number: 0n, timestamp, difficulty })
}
