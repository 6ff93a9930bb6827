/** Reads over an asynchronous store: fields wait for their data, and sibling fields load them together. */

import { describe, expect, it } from 'vitest'
import { type MissRequest, StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { BatchedResidency } from '../../../src/graphql/batchedResidency.ts'
import { GraphqlService } from '../../../src/graphql/graphqlService.ts'
import type { RpcBackend } from '../../../src/rpc/backend.ts'
import type { StateReader } from '../../../src/state/contract.ts'
import { requireState } from '../../../src/state/errors.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { ALICE, BOB } from '../../support/nodes/devChain.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()

/** A state whose accounts are absent until they are loaded, one key for each address. */
class MissingAccounts {
  readonly loads: MissRequest[] = []
  readonly #loaded = new Set<string>()

  readonly residency = {
    load: async (request: MissRequest): Promise<void> => {
      this.loads.push(request)
      if (request.kind === 'keys') for (const key of request.keys) this.#loaded.add(key.join())
    },
  }

  reader(state: StateReader): StateReader {
    return new Proxy(state, {
      get: (target, name) => {
        if (name !== 'getAccount') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
        return (address: Uint8Array) => {
          if (!this.#loaded.has(address.join())) throw new StoreMiss({ kind: 'keys', keys: [address] })
          return target.getAccount(address)
        }
      },
    })
  }
}

describe('accounts that are not in memory', () => {
  it('are loaded together and read once each', async () => {
    const { node } = await open()
    const missing = new MissingAccounts()
    const { chain, states } = node
    const backend = {
      chain,
      states: {
        at: ({ stateRoot }: ChainHeader) => missing.reader(states.reader(requireState(stateRoot))),
        mutable: () => undefined,
      },
      calls: { slicer: () => undefined },
      options: { profile: 'geth' },
    } as unknown as RpcBackend
    const { residency } = missing
    const service = new GraphqlService({ backend, clock: TEST_CLOCK, logger: silentLogger, residency })
    const query = `{ block { a: account(address: "${ALICE.address}") { balance transactionCount }
      b: account(address: "${BOB.address}") { balance } miner { balance } } }`
    const { body } = await service.answer({ query, variables: undefined, operationName: undefined })
    const balance = `0x${(10_000n * 10n ** 18n).toString(16)}`
    expect(JSON.parse(body)).toEqual({
      data: { block: { a: { balance, transactionCount: 0 }, b: { balance }, miner: { balance: '0x0' } } },
    })
    expect(missing.loads).toHaveLength(1)
    // `balance` and `transactionCount` miss the same account before it is loaded.
    expect(missing.loads[0]).toMatchObject({ keys: { length: 4 } })
  })
})

describe('batched loading', () => {
  const recorded = () => {
    const loads: MissRequest[] = []
    const residency = new BatchedResidency({ load: async (request) => void loads.push(request) })
    return { loads, residency }
  }
  const keys = (...values: number[]): MissRequest => ({
    kind: 'keys',
    keys: values.map((value) => Uint8Array.of(value)),
  })

  it('joins keys of one turn, not of two', async () => {
    const { loads, residency } = recorded()
    await Promise.all([residency.load(keys(1)), residency.load(keys(2, 3))])
    await residency.load(keys(4))
    expect(loads).toEqual([keys(1, 2, 3), keys(4)])
  })

  it('passes ranges and requests without keys on unchanged', async () => {
    const { loads, residency } = recorded()
    const range: MissRequest = { kind: 'range', range: { prefix: Uint8Array.of(1) } }
    const none = keys()
    await Promise.all([residency.load(range), residency.load(none)])
    expect(loads[0]).toBe(range)
    expect(loads[1]).toBe(none)
  })

  it('reports a failure to every field that waits', async () => {
    const residency = new BatchedResidency({ load: () => Promise.reject(new Error('offline')) })
    const results = await Promise.allSettled([residency.load(keys(1)), residency.load(keys(2))])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
