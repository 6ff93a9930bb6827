/** A documented request: its parameters, and what precedes it. */
import type { Call, ExampleChain, ExampleKind } from '../reference/exampleChain.ts'

export interface Example {
  readonly params?: readonly unknown[] | ((chain: ExampleChain) => readonly unknown[])
  /** Requests before the documented one. @returns parameters that depend on them */
  readonly before?: (call: Call, chain: ExampleChain) => Promise<readonly unknown[] | undefined>
  /** One sentence about the circumstances, printed above the request. */
  readonly note?: string
  /** Whether the request may be sent to a node that other requests use too. */
  readonly changesNothing?: true
  /** The chain that answers; default: the dev chain. */
  readonly on?: ExampleKind
}

export type Examples = Readonly<Record<string, Example>>

/** An example without parameters. */
export const NONE: Example = {}

export function given(params: Example['params']): Example {
  return params === undefined ? {} : { params }
}

/** A request whose only parameter is the result of another one. */
export function after(method: string, params: (chain: ExampleChain) => readonly unknown[] = () => []): Example {
  return { before: async (call, chain) => [(await call(method, ...params(chain))).result] }
}

/** Leaves one transfer of Alice in the pool. */
export async function holdTransfer(call: Call, { alice, bob }: ExampleChain): Promise<undefined> {
  await call('evm_setAutomine', false)
  await call('eth_sendTransaction', {
    from: alice,
    to: bob,
    value: '0x1',
    gas: '0x5208',
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: '0x3b9aca00',
  })
  return undefined
}

/** With one transfer in the pool. */
export const POOLED: Example = { before: holdTransfer, note: 'With one transfer in the pool.' }

export function readOnly(examples: Examples): Examples {
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, { ...example, changesNothing: true as const }]),
  )
}
